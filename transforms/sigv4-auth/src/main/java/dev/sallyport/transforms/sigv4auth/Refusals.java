package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.LateRejectException;

/** The refusals that clients get. They contain nothing of the configuration and no credential. */
final class Refusals {

    static final Decision MISSING = Decision.reject(
            400,
            "missing_sigv4",
            "This destination requires a request signed with AWS Signature Version 4: the region and service of its credential scope are needed.");
    static final Decision AMBIGUOUS = malformed("the request is signed twice, in Authorization and in the query");
    static final Decision SIGV4A = Decision.reject(
            400,
            "sigv4a_not_supported",
            "Signature Version 4A (AWS4-ECDSA-P256-SHA256) is not supported; use an endpoint of one region.");
    static final Decision REGION =
            Decision.reject(403, "region_not_allowed", "Requests to this region of AWS are not allowed.");
    static final Decision SERVICE =
            Decision.reject(403, "service_not_allowed", "Requests to this service of AWS are not allowed.");
    static final Decision NO_CREDENTIALS = Decision.reject(
            502, "credential_unavailable", "The credentials needed to sign this request are not available.");
    static final Decision CHUNKED = Decision.reject(
            400,
            "chunked_body_not_allowed",
            "The content of this request is signed, so its length must be declared (Content-Length).");
    static final Decision.Reject HASH_MISMATCH = Decision.reject(
            400, "payload_hash_mismatch", "The content does not have the SHA-256 that x-amz-content-sha256 declares.");
    static final Decision PAYLOAD_FORM = Decision.reject(
            400,
            "payload_form_not_supported",
            "The form of content that x-amz-content-sha256 declares is not supported.");

    private Refusals() {}

    /** The content differs from the one that is signed. */
    static LateRejectException hashMismatch() {
        return new LateRejectException(HASH_MISMATCH);
    }

    /** The content's framing differs from the declared one, so it must not complete. */
    static LateRejectException framing(String why) {
        return new LateRejectException(Decision.reject(
                400, "malformed_payload", "The content of this request is not aws-chunked: " + why + "."));
    }

    /** The same refusal, saying which rule matched the request. */
    static LateRejectException located(LateRejectException refusal, int rule) {
        return new LateRejectException(refusal.reject().byRule(rule));
    }

    /** The request is signed, but not in a way that the rules allow. */
    static Decision malformed(String why) {
        return Decision.reject(400, "malformed_sigv4", "The signature of this request cannot be read: " + why + ".");
    }
}
