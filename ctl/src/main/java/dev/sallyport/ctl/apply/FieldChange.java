package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.text.Json;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What differs in one field. Of values it only says that they do.
 *
 * @param field such as {@code rules[0].host}
 * @param before null for nothing
 * @param after null for nothing
 * @param hidden whether neither is shown
 */
record FieldChange(
        String field, @Nullable JsonNode before, @Nullable JsonNode after, boolean hidden) {

    private static final int LONGEST = 60;

    /** A value that is replaced, of which nothing is shown. */
    static FieldChange value(String field) {
        return new FieldChange(field, null, null, true);
    }

    /** A line for people. */
    String text() {
        return field + ": " + (hidden ? "another value" : text(before) + " -> " + text(after));
    }

    private static String text(@Nullable JsonNode value) {
        if (value == null) {
            return "(none)";
        }
        String text = new String(Json.bytes(value), StandardCharsets.UTF_8);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    ObjectNode json() {
        ObjectNode json = Json.object().put("field", field);
        if (!hidden) {
            json.set("before", before);
            json.set("after", after);
        }
        return json;
    }
}
