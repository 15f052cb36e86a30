package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.headers.HeaderPattern;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import java.util.List;
import java.util.stream.Stream;

/** Routing, framing and connection handling: no transform may edit these, so nothing is looked for in them. */
final class EngineHeaders {

    private static final HeaderPatterns NAMES = HeaderPatterns.of(names());

    private EngineHeaders() {}

    static boolean contains(String name) {
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
