package dev.sallyport.transforms.sigv4auth;

import java.util.Set;

/** Names and markers of Signature Version 4. */
final class Names {

    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final String ALGORITHM_V4A = "AWS4-ECDSA-P256-SHA256";
    static final String TERMINATOR = "aws4_request";

    static final String AUTHORIZATION = "Authorization";
    static final String DATE = "X-Amz-Date";
    static final String SECURITY_TOKEN = "X-Amz-Security-Token";
    static final String CONTENT_SHA256 = "X-Amz-Content-Sha256";
    static final String DECODED_LENGTH = "X-Amz-Decoded-Content-Length";

    static final String QUERY_ALGORITHM = "X-Amz-Algorithm";
    static final String QUERY_CREDENTIAL = "X-Amz-Credential";
    static final String QUERY_SIGNED_HEADERS = "X-Amz-SignedHeaders";
    static final String QUERY_SIGNATURE = "X-Amz-Signature";

    static final String UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
    static final String STREAMING = "STREAMING-";
    static final String STREAMING_V4A = "STREAMING-" + ALGORITHM_V4A;
    static final String STREAMING_PAYLOAD = "STREAMING-" + ALGORITHM + "-PAYLOAD";
    static final String STREAMING_PAYLOAD_TRAILER = STREAMING_PAYLOAD + "-TRAILER";
    static final String STREAMING_UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

    /** The services whose keys may have any characters, so that paths are encoded only once. */
    private static final Set<String> OBJECT_STORES = Set.of("s3", "s3-outposts", "s3-object-lambda", "s3express");

    private Names() {}

    /** Whether a service has the rules of S3. */
    static boolean isObjectStore(String service) {
        return OBJECT_STORES.contains(service);
    }
}
