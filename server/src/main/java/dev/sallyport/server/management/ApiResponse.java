package dev.sallyport.server.management;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a route answers. */
public sealed interface ApiResponse {

    /** A complete response. */
    record Content(int status, String type, byte[] content, Map<String, String> headers) implements ApiResponse {

        Content with(Map<String, String> more) {
            return new Content(status, type, content, more);
        }
    }

    /** An event stream ({@code text/event-stream}) that lasts until the client leaves. */
    record Events(EventSource source) implements ApiResponse {}

    /** A response in JSON. */
    static Content json(int status, JsonNode body) {
        try {
            return json(status, new ObjectMapper().writeValueAsBytes(body));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that cannot be written", e);
        }
    }

    /** A response in JSON that has been written. */
    static Content json(int status, byte[] body) {
        return new Content(status, "application/json", body, Map.of());
    }

    /** A response in plain text. */
    static Content text(int status, String text) {
        return new Content(status, "text/plain", text.getBytes(StandardCharsets.UTF_8), Map.of());
    }
}
