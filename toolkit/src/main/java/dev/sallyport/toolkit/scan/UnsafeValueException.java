package dev.sallyport.toolkit.scan;

/**
 * A value that must not replace its placeholder, because it would change the meaning of the message. The exception's
 * message names the place, never the value.
 */
public final class UnsafeValueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnsafeValueException(String message) {
        super(message);
    }
}
