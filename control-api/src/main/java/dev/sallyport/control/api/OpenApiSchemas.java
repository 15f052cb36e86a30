package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.model.FieldProblem;
import dev.sallyport.control.model.Limits;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON Schemas of records, for one document: of bodies ({@code ...Input}), and of answers. */
final class OpenApiSchemas {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Map<String, ObjectNode> schemas = new TreeMap<>();

    /** All that were asked for. */
    ObjectNode all() {
        ObjectNode all = JSON.objectNode();
        schemas.forEach(all::set);
        return all;
    }

    /** What a client may send. */
    ObjectNode input(Class<?> type) {
        return reference(type, true);
    }

    /** What a client gets. */
    ObjectNode output(Class<?> type) {
        return reference(type, false);
    }

    /** A parameter of a query. */
    ObjectNode parameter(Shape.Field field) {
        return described(field.kind() instanceof Shape.Kind.Moment ? momentOrDate() : value(field.kind(), true), field);
    }

    /** A date is its first moment in UTC. */
    private static ObjectNode momentOrDate() {
        ObjectNode either = JSON.objectNode();
        ArrayNode forms = either.putArray("anyOf");
        forms.addObject().put("type", "string").put("format", "date-time");
        forms.addObject().put("type", "string").put("format", "date").put("description", "Its first moment in UTC.");
        return either;
    }

    /** An error with one of these codes. */
    ObjectNode error(Collection<String> codes, boolean fields) {
        ObjectNode error = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        error.putArray("required").add("code").add("message");
        ObjectNode properties = error.putObject("properties");
        ArrayNode known = properties.putObject("code").put("type", "string").putArray("enum");
        codes.forEach(known::add);
        properties.putObject("message").put("type", "string");
        if (fields) {
            properties.putObject("fields").put("type", "array").set("items", output(FieldProblem.class));
        }
        ObjectNode body = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        body.putArray("required").add("error");
        body.putObject("properties").set("error", error);
        return body;
    }

    private ObjectNode reference(Class<?> type, boolean input) {
        String name = name(type) + (input ? "Input" : "");
        if (!schemas.containsKey(name)) {
            schemas.put(name, JSON.objectNode()); // ends recursion
            schemas.put(name, object(type, input));
        }
        return JSON.objectNode().put("$ref", "#/components/schemas/" + name);
    }

    /** Nested records carry the name of the outer one; drafts go by what they become. */
    private static String name(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        String own = type.getSimpleName().replaceAll("Draft$", "");
        return outer == null || outer.getSimpleName().endsWith("Controller") ? own : name(outer) + own;
    }

    private ObjectNode object(Class<?> type, boolean input) {
        Shape shape = Shape.of(type);
        JsonInclude include = type.getAnnotation(JsonInclude.class);
        boolean sparse = include != null && include.value() == JsonInclude.Include.NON_NULL;
        ObjectNode schema = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ArrayNode required = JSON.arrayNode();
        ObjectNode properties = schema.putObject("properties");
        for (Shape.Field field : shape.fields().values()) {
            ObjectNode value = value(field.kind(), input);
            boolean mayBeNull = input ? !field.required() : field.nullable() && !sparse;
            properties.set(field.key(), described(mayBeNull ? orNull(value) : value, field));
            if (input ? field.required() : !field.nullable() || !sparse) {
                required.add(field.key());
            }
        }
        if (input) {
            shape.ignored().stream()
                    .sorted()
                    .forEach(key -> properties
                            .putObject(key)
                            .put("readOnly", true)
                            .put("description", "Set by the server; ignored."));
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema;
    }

    private static ObjectNode orNull(ObjectNode schema) {
        if (schema.path("type").isTextual() && !schema.has("enum")) {
            String type = schema.get("type").textValue();
            schema.putArray("type").add(type).add("null");
            return schema;
        }
        if (schema.isEmpty()) {
            return schema; // anything
        }
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(schema).addObject().put("type", "null");
        return either;
    }

    private ObjectNode value(Shape.Kind kind, boolean input) {
        ObjectNode schema = JSON.objectNode();
        return switch (kind) {
            case Shape.Kind.Text text -> schema.put("type", "string");
            case Shape.Kind.Whole whole ->
                schema.put("type", "integer").put("format", whole.wide() ? "int64" : "int32");
            case Shape.Kind.Flag flag -> schema.put("type", "boolean");
            case Shape.Kind.Moment moment -> schema.put("type", "string").put("format", "date-time");
            case Shape.Kind.Choice choice -> {
                ArrayNode words = schema.put("type", "string").putArray("enum");
                choice.constants().keySet().forEach(words::add);
                yield schema;
            }
            case Shape.Kind.Many many -> {
                schema.put("type", "array").set("items", value(many.element(), input));
                yield schema;
            }
            case Shape.Kind.Block block -> reference(block.type(), input);
            case Shape.Kind.Any any -> schema;
        };
    }

    private static ObjectNode described(ObjectNode schema, Shape.Field field) {
        Limits limits = field.limits();
        if (limits == null) {
            return schema;
        }
        if (!limits.description().isEmpty()) {
            schema.put("description", limits.description());
        }
        if (!limits.defaultValue().isEmpty()) {
            preset(schema, field.kind(), limits.defaultValue());
        }
        String least = least(field.kind());
        if (least != null && limits.min() > 0) {
            schema.put(least, limits.min());
        }
        if (least != null && limits.max() > 0) {
            schema.put(least.replace("min", "max"), limits.max());
        }
        if (!limits.pattern().isEmpty()) {
            schema.put("pattern", "^(?:" + limits.pattern() + ")$");
        }
        return schema;
    }

    private static void preset(ObjectNode schema, Shape.Kind kind, String value) {
        switch (kind) {
            case Shape.Kind.Flag flag -> schema.put("default", Boolean.parseBoolean(value));
            case Shape.Kind.Whole whole -> schema.put("default", Integer.parseInt(value));
            default -> schema.put("default", value);
        }
    }

    private static @Nullable String least(Shape.Kind kind) {
        return switch (kind) {
            case Shape.Kind.Text text -> "minLength";
            case Shape.Kind.Many many -> "minItems";
            case Shape.Kind.Whole whole -> "minimum";
            default -> null;
        };
    }
}
