package dev.sallyport.toolkit.coding;

/** Coded data that cannot, or must not, be decoded. The message never contains any of the data. */
public final class CodingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    CodingException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    CodingException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** What is wrong. */
    public Reason reason() {
        return reason;
    }

    static CodingException corrupt(Coding coding, String what) {
        return new CodingException(Reason.CORRUPT, coding.token() + ": " + what);
    }

    static CodingException corrupt(Coding coding, String what, Throwable cause) {
        return new CodingException(Reason.CORRUPT, coding.token() + ": " + what, cause);
    }

    static CodingException truncated(Coding coding) {
        return new CodingException(Reason.TRUNCATED, coding.token() + ": the body ended before the coded data did");
    }

    static CodingException trailing(Coding coding) {
        return new CodingException(Reason.TRAILING_DATA, coding.token() + ": bytes after the end of the coded data");
    }

    /** What is wrong with coded data. May grow. */
    public enum Reason {
        /** The data violates the coding. */
        CORRUPT,
        /** The body ended before the coded data did. */
        TRUNCATED,
        /** The body goes on after the end of the coded data. */
        TRAILING_DATA,
        /** The data expands beyond the {@link DecodeLimits}, or needs a larger window than allowed. */
        TOO_LARGE
    }
}
