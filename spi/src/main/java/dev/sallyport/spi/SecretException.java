package dev.sallyport.spi;

import org.jspecify.annotations.Nullable;

/** A secret that could not be read. The message says what was tried and what is missing, never a value. */
public final class SecretException extends Exception {

    private static final long serialVersionUID = 1L;

    public SecretException(String message) {
        super(message);
    }

    public SecretException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
