package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a body wants a value to be written where a placeholder stands. */
public enum BodyEscaping {
    /** As it is. */
    RAW,
    /** As the content of a JSON string (RFC 8259, 7); bytes beyond ASCII stay as they are. */
    JSON,
    /** Percent-encoded. */
    FORM,
    /** As character data of XML, or in an attribute (XML 1.0, 2.4); as it is within a CDATA section. */
    XML;

    /** What a {@code Content-Type} asks for; {@link #RAW} when there is none. Never fails. */
    public static BodyEscaping of(@Nullable String contentType) {
        if (contentType == null) {
            return RAW;
        }
        int semicolon = contentType.indexOf(';');
        String type = (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .strip()
                .toLowerCase(Locale.ROOT);
        if (type.endsWith("+json")) {
            return JSON;
        }
        if (type.endsWith("+xml")) {
            return XML;
        }
        return switch (type) {
            case "application/json",
                    "text/json",
                    "application/x-ndjson",
                    "application/ndjson",
                    "application/jsonl",
                    "application/json-seq",
                    "application/json-lines" -> JSON;
            case "application/x-www-form-urlencoded" -> FORM;
            case "application/xml", "text/xml" -> XML;
            default -> RAW;
        };
    }

    /**
     * What a text asks for that has no content type: {@link #JSON} when it begins like JSON (RFC 8259, 2) with an object,
     * an array or a string, else {@link #RAW}. The buffer's position is neither used up nor changed.
     */
    public static BodyEscaping ofText(ByteBuffer beginning) {
        for (int i = beginning.position(); i < beginning.limit(); i++) {
            switch (beginning.get(i)) {
                case ' ', '\t', '\r', '\n' -> {}
                case '{', '[', '"' -> {
                    return JSON;
                }
                default -> {
                    return RAW;
                }
            }
        }
        return RAW;
    }
}
