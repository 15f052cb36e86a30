package dev.sallyport.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What one transform did about a recorded request.
 *
 * @param action {@code allow}, {@code reject}, {@code stub} or {@code error}
 * @param error what went wrong, or null
 * @param annotations its notes, an object; without members if there are none. Not to be changed
 */
public record RecordedTransform(
        String name, String action, @Nullable String error, JsonNode annotations) {

    /** The text of a note; empty when there is none, or when it is no text. */
    public String note(String key) {
        return annotations.path(key).asText();
    }

    /** Whether it would have refused the request, and let it pass with a warning. */
    public boolean warned() {
        return note("action").equals("warn");
    }
}
