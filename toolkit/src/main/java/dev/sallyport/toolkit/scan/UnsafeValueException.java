package dev.sallyport.toolkit.scan;

/**
 * A value that must not be put where its placeholder stands, because the message would mean something else. The message
 * names the place, never the value.
 */
public final class UnsafeValueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnsafeValueException(String message) {
        super(message);
    }
}
