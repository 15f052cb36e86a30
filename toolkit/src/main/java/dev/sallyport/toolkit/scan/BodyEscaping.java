package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The notation in which a body needs the value of a placeholder. */
public enum BodyEscaping {
    /** Verbatim. */
    RAW,
    /** As the content of a JSON string (RFC 8259, 7); bytes beyond ASCII stay as they are. */
    JSON,
    /** Percent-encoded. */
    FORM,
    /** As character data of XML, or in an attribute (XML 1.0, 2.4); as it is within a CDATA section. */
    XML;

    /** The notation for a {@code Content-Type}; {@link #RAW} when there is none. Never fails. */
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
     * The notation for a text without a content type: {@link #JSON} when it begins with a JSON object, array or string
     * (RFC 8259, 2), otherwise {@link #RAW}. Does not change the buffer's position.
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
