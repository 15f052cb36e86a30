package dev.sallyport.core.upstream;

import dev.sallyport.core.resolve.ResolveException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/** Says in a few words why a dial failed. */
final class DialErrors {

    private DialErrors() {}

    static String describeLookup(Throwable cause) {
        String message = cause instanceof ResolveException ? cause.getMessage() : null;
        return message == null ? "the name could not be resolved" : message;
    }

    static String describeConnect(Throwable cause) {
        return switch (cause) {
            case NoRouteToHostException e -> "no route to the address";
            case ConnectException e -> "connection refused";
            default -> "the address is unreachable";
        };
    }
}
