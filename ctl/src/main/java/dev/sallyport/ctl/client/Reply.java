package dev.sallyport.ctl.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A successful answer.
 *
 * @param document the body; a missing node when there is none
 */
public record Reply(int status, HttpHeaders headers, JsonNode document) {

    /** The value of a header field, or null. */
    public @Nullable String header(String name) {
        return headers.firstValue(name).orElse(null);
    }

    /** The object in {@code data}, or the document itself where the API does not wrap it. */
    public JsonNode object() {
        return document.path("data").isObject() ? document.path("data") : document;
    }

    /** Without the body, which may hold a key. */
    @Override
    public String toString() {
        return "Reply[" + status + "]";
    }
}
