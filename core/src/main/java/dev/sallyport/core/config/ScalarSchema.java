package dev.sallyport.core.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** JSON Schemas of scalars: as strict as a schema can be, never stricter than the binder. */
final class ScalarSchema {

    private static final String LISTEN = "^(\\[[^\\[\\]]*\\]|[^:\\[\\]]*):[0-9]{1,5}$";
    private static final String SIZE = "^[0-9]{1,15}(B|KiB|MiB|GiB)?$";

    private ScalarSchema() {}

    static ObjectNode of(ScalarKind kind, RecordShape.Field field) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        switch (kind) {
            case TEXT, FILE, SERVER, ADDRESS, CIDR, PROXY_URL -> schema.put("type", "string");
            case BOOLEAN -> schema.put("type", "boolean");
            case NUMBER -> schema.put("type", "number");
            case INT, LONG -> integer(schema.put("type", "integer"), field.range());
            case DURATION -> {
                ArrayNode forms = schema.putArray("anyOf");
                forms.addObject().put("type", "string").put("pattern", Durations.PATTERN);
                forms.addObject().put("const", 0);
            }
            case SIZE -> {
                ArrayNode forms = schema.putArray("anyOf");
                forms.addObject().put("type", "string").put("pattern", SIZE);
                forms.addObject().put("type", "integer").put("minimum", 0);
            }
            case LISTEN -> {
                schema.put("type", "string");
                schema.put("pattern", field.mayBeDisabled() ? "^" + ScalarKind.DISABLED + "$|" + LISTEN : LISTEN);
            }
        }
        return schema;
    }

    private static void integer(ObjectNode schema, @Nullable Range range) {
        if (range != null && !range.min().isEmpty()) {
            schema.put("minimum", Long.parseLong(range.min()));
        }
        if (range != null && !range.max().isEmpty()) {
            schema.put("maximum", Long.parseLong(range.max()));
        }
    }
}
