package dev.sallyport.mcp;

/** An answer that may hold a list and cannot be read in one way only: it must not reach the client. */
final class UnreadableException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadableException(String detail) {
        super(detail, null, false, false);
    }

    /** Holds nothing of the answer. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
