package dev.sallyport.control.api;

/** Names of header fields. */
final class Headers {

    static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    static final String IDEMPOTENT_REPLAYED = "Idempotent-Replayed";
    static final String IF_MATCH = "If-Match";
    static final String ETAG = "ETag";
    static final String REVISION = "Sallyport-Revision";
    static final String APPLIED = "Sallyport-Applied";
    static final String RATE_LIMIT = "RateLimit-Limit";
    static final String RATE_REMAINING = "RateLimit-Remaining";
    static final String RATE_RESET = "RateLimit-Reset";
    static final String RETRY_AFTER = "Retry-After";
    static final String WWW_AUTHENTICATE = "WWW-Authenticate";

    private Headers() {}
}
