package dev.sallyport.core.body;

import org.jspecify.annotations.Nullable;

/** Media types whose receivers act on each piece as it comes: their bodies are not held back for an exact length. */
final class StreamedTypes {

    private static final String[] PREFIXES = {
        "text/event-stream",
        "application/grpc",
        "application/x-ndjson",
        "application/json-seq",
        "multipart/x-mixed-replace"
    };

    private StreamedTypes() {}

    static boolean contains(@Nullable String contentType) {
        if (contentType != null) {
            for (String prefix : PREFIXES) {
                if (contentType.regionMatches(true, 0, prefix, 0, prefix.length())) {
                    return true;
                }
            }
        }
        return false;
    }
}
