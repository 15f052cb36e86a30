package dev.sallyport.ctl.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * An object in a file, with the places of its fields.
 *
 * @param file as messages name it
 * @param lines by field, such as {@code rules[0].host}; the empty name is the object itself
 */
public record Document(String file, ObjectNode content, Map<String, Integer> lines) {

    public Document {
        lines = Map.copyOf(lines);
    }

    /** {@code FILE:LINE} of a field, or of the nearest one around it. */
    public String place(String field) {
        String at = field;
        while (!lines.containsKey(at) && !at.isEmpty()) {
            at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
        }
        return file + ":" + lines.getOrDefault(at, 1);
    }

    /** Without the content, in which there may be a value. */
    @Override
    public String toString() {
        return "Document[" + place("") + "]";
    }
}
