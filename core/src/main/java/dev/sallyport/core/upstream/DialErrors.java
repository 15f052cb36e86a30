package dev.sallyport.core.upstream;

import dev.sallyport.core.resolve.ResolveException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Describes in a few words why a dial failed. */
final class DialErrors {

    private DialErrors() {}

    static String describeLookup(@Nullable Throwable cause) {
        String message = cause instanceof ResolveException ? cause.getMessage() : null;
        return message == null ? "the name could not be resolved" : message;
    }

    static String describeConnect(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (message.contains("refused")) {
            return "connection refused";
        }
        if (message.contains("reset")) {
            return "connection reset";
        }
        return message.contains("timed out") ? "the address does not answer" : "the address is unreachable";
    }
}
