package dev.sallyport.core.upstream;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;

/** Says in a few words why a dial failed. */
final class DialErrors {

    private DialErrors() {}

    static String describeLookup(Throwable cause) {
        return cause instanceof UnknownHostException ? "the name does not exist" : "the name could not be resolved";
    }

    static String describeConnect(Throwable cause) {
        return switch (cause) {
            case NoRouteToHostException e -> "no route to the address";
            case ConnectException e -> "connection refused";
            default -> "the address is unreachable";
        };
    }

    static String describeHandshake(Throwable cause) {
        return "TLS handshake: " + cause.getClass().getSimpleName();
    }
}
