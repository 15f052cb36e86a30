package dev.sallyport.toolkit.headers;

import java.util.List;
import java.util.stream.Stream;

/** Routing, framing and connection handling: the fields that belong to the engine, and that no transform may edit. */
public final class EngineHeaders {

    private static final HeaderPatterns NAMES = HeaderPatterns.of(names());

    private EngineHeaders() {}

    /** Whether a field is one of them. */
    public static boolean contains(String name) {
        return NAMES.matches(name);
    }

    private static List<HeaderPattern> names() {
        return Stream.of(
                        "Host",
                        "Content-Length",
                        "Transfer-Encoding",
                        "Connection",
                        "Proxy-Connection",
                        "Keep-Alive",
                        "Upgrade",
                        "TE",
                        "Trailer",
                        "Proxy-Authorization",
                        "Proxy-Authenticate")
                .map(HeaderPattern::parse)
                .toList();
    }
}
