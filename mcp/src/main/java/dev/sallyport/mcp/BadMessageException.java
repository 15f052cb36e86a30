package dev.sallyport.mcp;

/** A body that is no message, or that could be understood in more than one way. */
final class BadMessageException extends Exception {

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;

    private static final long serialVersionUID = 1L;

    private final int code;
    private final String reason;

    private BadMessageException(int code, String reason, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.reason = reason;
    }

    /** No JSON, or not strictly so. */
    static BadMessageException syntax(String detail) {
        return new BadMessageException(PARSE_ERROR, Reasons.MALFORMED, detail);
    }

    /** JSON, but no message of JSON-RPC. */
    static BadMessageException invalid(String detail) {
        return new BadMessageException(INVALID_REQUEST, Reasons.MALFORMED, detail);
    }

    /** Anything else that makes it doubtful what is meant. */
    static BadMessageException because(String reason, String detail) {
        return new BadMessageException(INVALID_REQUEST, reason, detail);
    }

    /** The code of the JSON-RPC error. */
    int code() {
        return code;
    }

    /** For the audit record. */
    String reason() {
        return reason;
    }

    /** For the client; holds nothing of the body. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
