package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.headers.CallProtocol;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Content whose readers count bytes: what stands in the place of a value must have its length. */
final class CountedContent {

    private static final Set<String> TYPES = Set.of(
            "application/gzip",
            "application/java-archive",
            "application/octet-stream",
            "application/pdf",
            "application/protobuf",
            "application/vnd.amazon.eventstream",
            "application/vnd.google.protobuf",
            "application/wasm",
            "application/x-7z-compressed",
            "application/x-bzip2",
            "application/x-gzip",
            "application/x-protobuf",
            "application/x-tar",
            "application/x-xz",
            "application/zip",
            "application/zstd");

    private CountedContent() {}

    /** Whether a media type, with or without parameters, is such content; a missing one is not. */
    static boolean is(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        return TYPES.contains(type)
                || CallProtocol.of(type) != null
                || type.startsWith("audio/")
                || type.startsWith("font/")
                || type.startsWith("video/")
                || (type.startsWith("image/") && !type.endsWith("+xml"));
    }
}
