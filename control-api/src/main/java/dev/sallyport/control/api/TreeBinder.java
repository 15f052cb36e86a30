package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.OnlyWhen;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Binds a JSON tree to records and reports all problems. Where there is one, a stand-in takes the place of the value, so
 * that the rest can be checked as well. For one body.
 */
final class TreeBinder {

    private static final String ITEMS = " items";
    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

    private final FieldProblems problems;

    TreeBinder(FieldProblems problems) {
        this.problems = problems;
    }

    /** Binds an object. */
    Object block(JsonNode node, Class<?> type, String place) {
        Shape shape = Shape.of(type);
        if (!node.isObject()) {
            problems.add(place, wrong(node, new Shape.Kind.Block(type)));
            return standIn(new Shape.Kind.Block(type));
        }
        unknown(node, shape, place);
        List<@Nullable Object> values = new ArrayList<>();
        for (Shape.Field field : shape.fields().values()) {
            values.add(field(node, field, place));
        }
        return shape.create(values.toArray());
    }

    private void unknown(JsonNode node, Shape shape, String place) {
        for (Iterator<String> keys = node.fieldNames(); keys.hasNext(); ) {
            String key = keys.next();
            if (!shape.fields().containsKey(key) && !shape.ignored().contains(key)) {
                boolean shown = key.length() <= 64 && key.chars().allMatch(c -> c >= ' ' && c < 0x7F);
                problems.add(
                        below(place, shown ? key : "?"),
                        "unknown (expected: one of "
                                + String.join(", ", shape.fields().keySet()) + ")");
            }
        }
    }

    private static String below(String place, String key) {
        return place.isEmpty() ? key : place + "." + key;
    }

    private @Nullable Object field(JsonNode parent, Shape.Field field, String parentPlace) {
        String place = below(parentPlace, field.key());
        JsonNode node = parent.get(field.key());
        boolean any = field.kind() instanceof Shape.Kind.Any;
        if (node == null || (node.isNull() && !any) || isUnread(parent, field.onlyWhen())) {
            if (field.required() && (node == null || node.isNull())) {
                problems.add(place, "missing (expected: " + field.kind().expected() + ")");
                return standIn(field.kind());
            }
            return field.nullable() ? null : standIn(field.kind());
        }
        Limits limits = field.limits();
        if (limits != null && isTooLong(node, field.kind(), limits)) {
            bounds(node.size(), limits, place, ITEMS);
            return List.of();
        }
        if (field.kind() instanceof Shape.Kind.Whole && isWhole(node) && whole(node, field.kind()) == null) {
            problems.add(place, outOfRange(field));
            return standIn(field.kind());
        }
        Object value = value(node, field.kind(), place);
        if (!problems.isTouched(place)) {
            limits(value, field, place);
        }
        return value;
    }

    /** A list of more items than allowed: they are not looked at. */
    private static boolean isTooLong(JsonNode node, Shape.Kind kind, Limits limits) {
        return kind instanceof Shape.Kind.Many && node.isArray() && limits.max() > 0 && node.size() > limits.max();
    }

    private static boolean isUnread(JsonNode parent, @Nullable OnlyWhen condition) {
        if (condition == null) {
            return false;
        }
        JsonNode other = parent.get(condition.key());
        String value = other == null || other.isNull() ? condition.absent() : other.asText();
        return Arrays.stream(condition.is()).noneMatch(value::equals);
    }

    private Object value(JsonNode node, Shape.Kind kind, String place) {
        Object value = switch (kind) {
            case Shape.Kind.Text text -> node.isTextual() ? node.textValue() : null;
            case Shape.Kind.Whole whole -> whole(node, whole);
            case Shape.Kind.Flag flag -> node.isBoolean() ? node.booleanValue() : null;
            case Shape.Kind.Moment moment -> node.isTextual() ? instant(node.textValue()) : null;
            case Shape.Kind.Choice choice ->
                node.isTextual() ? choice.constants().get(node.textValue()) : null;
            case Shape.Kind.Many many -> node.isArray() ? many(node, many.element(), place) : null;
            case Shape.Kind.Block block -> block(node, block.type(), place);
            case Shape.Kind.Any any -> node;
        };
        if (value == null) {
            problems.add(place, wrong(node, kind));
            return standIn(kind);
        }
        if (!isWritable(node)) {
            problems.addUnlessTouched(place, "a NUL or half a character (expected: text without it)");
        }
        return value;
    }

    /** What came instead of what was expected. */
    private static String wrong(JsonNode node, Shape.Kind kind) {
        if (kind instanceof Shape.Kind.Whole whole && isWhole(node)) {
            return outOfRange(whole);
        }
        String came = switch (node.getNodeType()) {
            case STRING -> kind instanceof Shape.Kind.Choice ? "another string" : "a string";
            case NUMBER -> kind instanceof Shape.Kind.Whole ? "a fraction" : "a number";
            case BOOLEAN -> "true or false";
            case ARRAY -> "a list";
            case OBJECT -> "an object";
            default -> "null";
        };
        if (kind instanceof Shape.Kind.Moment && node.isTextual()) {
            came = "malformed";
        }
        return came + " (expected: " + kind.expected() + ")";
    }

    /** What is said of an integer beyond the bounds of a field. */
    static String outOfRange(Shape.Field field) {
        Limits limits = field.limits();
        if (limits != null && limits.max() > 0) {
            return outOfRange(limits.min(), limits.max(), "");
        }
        return outOfRange((Shape.Kind.Whole) field.kind());
    }

    private static String outOfRange(Shape.Kind.Whole kind) {
        return kind.wide()
                ? outOfRange(Long.MIN_VALUE, Long.MAX_VALUE, "")
                : outOfRange(Integer.MIN_VALUE, Integer.MAX_VALUE, "");
    }

    private static String outOfRange(long least, long most, String unit) {
        return "out of range (expected: " + least + " to " + most + unit + ")";
    }

    /** Whether this is an integer as JSON Schema has them: {@code 1.0} is one, too. */
    private static boolean isWhole(JsonNode node) {
        if (!node.isNumber()) {
            return false;
        }
        BigDecimal number = node.decimalValue();
        return number.scale() <= 0 || number.stripTrailingZeros().scale() <= 0;
    }

    private static @Nullable Object whole(JsonNode node, Shape.Kind kind) {
        if (!isWhole(node)) {
            return null;
        }
        boolean wide = kind instanceof Shape.Kind.Whole whole && whole.wide();
        BigDecimal number = node.decimalValue();
        BigDecimal least = BigDecimal.valueOf(wide ? Long.MIN_VALUE : Integer.MIN_VALUE);
        BigDecimal most = BigDecimal.valueOf(wide ? Long.MAX_VALUE : Integer.MAX_VALUE);
        if (number.compareTo(least) < 0 || number.compareTo(most) > 0) {
            return null;
        }
        if (wide) {
            return number.longValue();
        }
        return number.intValue();
    }

    /** As {@link #instant}, or a date: its first moment in UTC. */
    static @Nullable Instant instantOrDate(String text) {
        return instant(DATE.matcher(text).matches() ? text + "T00:00Z" : text);
    }

    /** A time of RFC 3339, or null. */
    static @Nullable Instant instant(String text) {
        try {
            Instant instant = OffsetDateTime.parse(text).toInstant();
            boolean near = instant.getEpochSecond() >= 0 && instant.getEpochSecond() < 253_402_300_800L;
            return near ? instant : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private List<Object> many(JsonNode node, Shape.Kind element, String place) {
        List<Object> values = new ArrayList<>(node.size());
        for (int i = 0; i < node.size(); i++) {
            values.add(value(node.get(i), element, place + "[" + i + "]"));
        }
        return values;
    }

    /** No database keeps NUL in a text, and UTF-8 has no form for half of a surrogate pair. */
    private static boolean isWritable(JsonNode node) {
        if (node.isTextual()) {
            return isWritable(node.textValue());
        }
        for (JsonNode child : node) {
            if (!isWritable(child)) {
                return false;
            }
        }
        for (Iterator<String> keys = node.fieldNames(); keys.hasNext(); ) {
            if (!isWritable(keys.next())) {
                return false;
            }
        }
        return true;
    }

    /** As above, for a text. */
    static boolean isWritable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return false;
            }
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Reports a value outside of its bounds. */
    void limits(Object value, Shape.Field field, String place) {
        Limits limits = field.limits();
        if (limits == null) {
            return;
        }
        if (value instanceof String text) {
            bounds(text.codePointCount(0, text.length()), limits, place, " characters");
            if (field.pattern() != null
                    && !problems.isTouched(place)
                    && !field.pattern().matches(text)) {
                problems.add(place, "malformed (expected: " + limits.expected() + ")");
            }
        } else if (value instanceof List<?> list) {
            bounds(list.size(), limits, place, ITEMS);
        } else if (value instanceof Integer number && limits.max() > 0) {
            bounds(number, limits, place, "");
        }
    }

    private void bounds(int size, Limits limits, String place, String unit) {
        if (size < limits.min() || (limits.max() > 0 && size > limits.max())) {
            problems.add(place, outOfRange(limits.min(), limits.max(), unit));
        }
    }

    private static Object standIn(Shape.Kind kind) {
        return switch (kind) {
            case Shape.Kind.Text text -> "";
            case Shape.Kind.Whole whole -> {
                if (whole.wide()) {
                    yield 0L;
                }
                yield 0;
            }
            case Shape.Kind.Flag flag -> false;
            case Shape.Kind.Moment moment -> Instant.EPOCH;
            case Shape.Kind.Choice choice ->
                choice.constants().values().iterator().next();
            case Shape.Kind.Many many -> List.of();
            case Shape.Kind.Any any -> NullNode.getInstance();
            case Shape.Kind.Block block -> {
                Shape shape = Shape.of(block.type());
                List<@Nullable Object> values = new ArrayList<>();
                for (Shape.Field field : shape.fields().values()) {
                    values.add(field.nullable() ? null : standIn(field.kind()));
                }
                yield shape.create(values.toArray());
            }
        };
    }
}
