package dev.sallyport.control.api;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The one way from bytes and queries to records: all problems at once, and no Java in the messages. */
public final class BodyBinder {

    /** The longest body of any resource. */
    public static final int MOST_BYTES = 2 << 20;

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");

    private BodyBinder() {}

    /** Parses and binds a body: 400 when it is no JSON, 422 with all problems (at most 100) when it is not as described. */
    public static <R extends Record> R body(byte @Nullable [] body, Class<R> type) {
        return bind(parse(body), type);
    }

    /** Binds what was parsed; 422 as {@link #body}. */
    static <R extends Record> R bind(JsonNode tree, Class<R> type) {
        return bind(tree, type, (value, problems) -> {});
    }

    /** As above, with rules that need to know more than the body. */
    static <R extends Record> R bind(JsonNode tree, Class<R> type, BiConsumer<R, FieldProblems> more) {
        FieldProblems problems = new FieldProblems();
        R value = type.cast(new TreeBinder(problems).block(tree, type, ""));
        if (value instanceof Checked checked) {
            checked.check(problems);
        }
        more.accept(value, problems);
        problems.refuseIfAny();
        return value;
    }

    /** Parses a body: 400 when it is no JSON, or none. */
    static JsonNode parse(byte @Nullable [] body) {
        if (body == null || body.length == 0) {
            throw noBody();
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            JsonNode tree = Json.parse(text);
            if (tree.isMissingNode()) {
                throw noBody();
            }
            return tree;
        } catch (CharacterCodingException e) {
            throw Refusal.badRequest("the body is not UTF-8 (expected: JSON in UTF-8)");
        } catch (StreamConstraintsException e) {
            throw Refusal.badRequest("the body is beyond a limit" + where(e) + " (expected: at most " + Json.DEEPEST
                    + " levels, numbers of 1,000 characters, and names of 50,000)");
        } catch (JsonProcessingException e) {
            throw Refusal.badRequest(
                    "the body is not well-formed" + where(e) + " (expected: one JSON value, each member once)");
        }
    }

    private static String where(JsonProcessingException fault) {
        JsonLocation at = fault.getLocation();
        return at == null ? "" : ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    /** 400: JSON was expected. */
    static Refusal noBody() {
        return Refusal.badRequest("no body (expected: JSON)");
    }

    /** Binds the query: unknown parameters are ignored, a repeated or malformed one is 422. */
    static <R extends Record> R query(QueryParameters parameters, Class<R> type) {
        Shape shape = Shape.of(type);
        FieldProblems problems = new FieldProblems();
        TreeBinder binder = new TreeBinder(problems);
        @Nullable Object[] values = new @Nullable Object[shape.fields().size()];
        int at = 0;
        for (Shape.Field field : shape.fields().values()) {
            Object value = null;
            List<String> given = parameters.all(field.key());
            if (given.size() > 1) {
                problems.add(field.key(), "given " + given.size() + " times (expected: once)");
            } else if (given.size() == 1) {
                value = parameter(given.getFirst(), field.kind());
                if (value == null
                        && field.kind() instanceof Shape.Kind.Whole
                        && INTEGER.matcher(given.getFirst()).matches()) {
                    problems.add(field.key(), TreeBinder.outOfRange(field));
                } else if (value == null || !TreeBinder.isWritable(given.getFirst())) {
                    problems.add(field.key(), "malformed (expected: " + expected(field.kind()) + ")");
                } else {
                    binder.limits(value, field, field.key());
                }
            } else if (!field.nullable()) {
                problems.add(field.key(), "missing (expected: " + field.kind().expected() + ")");
            }
            values[at++] = value == null && !field.nullable() ? "" : value;
        }
        problems.refuseIfAny();
        return type.cast(shape.create(values));
    }

    /** The parameters of a query, decoded. */
    @FunctionalInterface
    interface QueryParameters {

        /** All values of one. */
        List<String> all(String name);
    }

    private static String expected(Shape.Kind kind) {
        return kind.expected() + (kind instanceof Shape.Kind.Moment ? ", or a date" : "");
    }

    private static @Nullable Object parameter(String text, Shape.Kind kind) {
        return switch (kind) {
            case Shape.Kind.Text string -> text;
            case Shape.Kind.Whole whole -> text.matches("-?[0-9]{1,9}") ? (Integer) Integer.parseInt(text) : null;
            case Shape.Kind.Flag flag ->
                text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null;
            case Shape.Kind.Moment moment -> TreeBinder.instantOrDate(text);
            case Shape.Kind.Choice choice -> choice.constants().get(text);
            case Shape.Kind.Many many -> throw new IllegalArgumentException("a list in a query");
            case Shape.Kind.Block block -> throw new IllegalArgumentException("an object in a query");
            case Shape.Kind.Any any -> throw new IllegalArgumentException("anything in a query");
        };
    }
}
