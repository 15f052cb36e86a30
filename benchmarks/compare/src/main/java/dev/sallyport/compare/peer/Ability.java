package dev.sallyport.compare.peer;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a peer can be measured at. */
public enum Ability {
    /** Passes plain HTTP on. */
    HTTP,
    /** Terminates TLS towards the client, with a certificate of the run's authority, and speaks TLS with the origin. */
    MITM,
    /** Makes certificates for names that it has not seen. */
    MINT,
    /** Speaks HTTP/2 on both sides. */
    H2,
    /** Passes calls of gRPC on, with their trailers. */
    GRPC,
    WEBSOCKET,
    /** Passes events (SSE) on as they come. */
    EVENTS,
    /** Answers DNS. */
    DNS,
    /** Has the scenarios' own policies. */
    POLICY;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String words() {
        return Arrays.stream(values()).map(Ability::word).collect(Collectors.joining(", "));
    }
}
