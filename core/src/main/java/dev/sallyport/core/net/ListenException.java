package dev.sallyport.core.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A listener cannot be bound. The message names the address and the reason, in one line. */
public final class ListenException extends IOException {

    private static final long serialVersionUID = 1L;

    ListenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
