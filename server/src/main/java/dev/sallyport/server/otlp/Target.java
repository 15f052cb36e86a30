package dev.sallyport.server.otlp;

import dev.sallyport.core.tls.TrustRoots;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where one signal goes, and how.
 *
 * @param grpc otherwise protobuf over HTTP
 * @param endpoint {@code http} or {@code https}, complete with its path
 * @param headers may hold credentials
 * @param gzip whether requests are compressed
 * @param timeout of one attempt
 * @param roots what the collector's certificate must end in; null for the roots that origins are verified by
 */
record Target(
        Signal signal,
        boolean grpc,
        URI endpoint,
        Map<String, String> headers,
        boolean gzip,
        Duration timeout,
        @Nullable TrustRoots roots) {

    Target {
        headers = Map.copyOf(headers);
    }

    boolean secure() {
        return endpoint.getScheme().equalsIgnoreCase("https");
    }

    /** Without headers, which may hold credentials. */
    @Override
    public String toString() {
        return signal.text() + " to " + endpoint + (grpc ? " (grpc)" : " (http/protobuf)");
    }
}
