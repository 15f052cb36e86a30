package dev.sallyport.sandboxd.wire;

/** What arrived is not what the protocol expects. The message says what was expected, and repeats no value. */
public final class WireException extends Exception {

    /** With what was wrong. */
    public WireException(String message) {
        super(message);
    }

    /** With what was wrong, and how it was found. */
    public WireException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
