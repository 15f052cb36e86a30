package dev.sallyport.transforms.sigv4auth;

import java.util.List;

/**
 * What a request says of the signature that it came with. The signature itself was made with a key that is worth
 * nothing, and is not looked at.
 *
 * @param accessKeyId of the workload: a placeholder
 * @param signedHeaders in lower case
 * @param presigned whether it is in the query
 */
record Inbound(String accessKeyId, Scope scope, List<String> signedHeaders, String signature, boolean presigned)
        implements Reading {}
