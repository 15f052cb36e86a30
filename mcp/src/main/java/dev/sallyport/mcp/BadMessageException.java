package dev.sallyport.mcp;

/** A body that is not a message, or that is ambiguous. */
final class BadMessageException extends Exception {

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;

    /** Of revision 2026-07-28: a field of the head is missing, or does not say what the message says. */
    static final int HEADER_MISMATCH = -32020;

    private static final long serialVersionUID = 1L;

    private final int code;
    private final String reason;

    private BadMessageException(int code, String reason, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.reason = reason;
    }

    /** Not JSON, or not strictly valid JSON. */
    static BadMessageException syntax(String detail) {
        return new BadMessageException(PARSE_ERROR, DenialReasons.MALFORMED, detail);
    }

    /** JSON, but not a JSON-RPC message. */
    static BadMessageException invalid(String detail) {
        return new BadMessageException(INVALID_REQUEST, DenialReasons.MALFORMED, detail);
    }

    /** Fields of the head that do not agree with the message. */
    static BadMessageException headers(String detail) {
        return new BadMessageException(HEADER_MISMATCH, DenialReasons.HEADERS, detail);
    }

    /** Ambiguous for another reason. */
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

    /** A text for the client; contains nothing of the body. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
