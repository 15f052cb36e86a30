package dev.sallyport.transforms.sigv4auth;

import java.util.List;

/**
 * The description of the signature with which a request came. The signature itself was made with a worthless key and is
 * ignored.
 *
 * @param accessKeyId of the workload: a placeholder
 * @param signedHeaders in lower case
 * @param presigned whether the signature is in the query
 */
record Inbound(String accessKeyId, Scope scope, List<String> signedHeaders, String signature, boolean presigned)
        implements Reading {}
