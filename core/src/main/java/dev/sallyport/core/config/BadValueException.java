package dev.sallyport.core.config;

/** A scalar that cannot be parsed. The message does not hold the value. */
final class BadValueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String expected;

    BadValueException(String message, String expected) {
        super(message, null, false, false);
        this.expected = expected;
    }

    String message() {
        return String.valueOf(getMessage());
    }

    String expected() {
        return expected;
    }
}
