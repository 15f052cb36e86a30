package dev.sallyport.mcp;

/** An ambiguous answer that may contain a list: it must not reach the client. */
final class UnreadableException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadableException(String detail) {
        super(detail, null, false, false);
    }

    /** The message contains nothing of the answer. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
