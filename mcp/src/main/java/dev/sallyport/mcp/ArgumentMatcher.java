package dev.sallyport.mcp;

import com.google.re2j.Pattern;
import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonWriter;
import dev.sallyport.mcp.json.Names;
import dev.sallyport.spi.NullValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A compiled condition on one argument of a call. Immutable. */
final class ArgumentMatcher {

    private final List<String> path;
    private final List<Json> values;
    private final @Nullable Pattern pattern;
    private final long most;

    /** The outcome of a test. */
    enum Outcome {
        /** The condition holds. */
        HOLDS,
        /** It does not. */
        FAILS,
        /** The argument is too long to be compared with an expression. */
        TOO_LONG
    }

    private ArgumentMatcher(List<String> path, List<Json> values, @Nullable Pattern pattern, long most) {
        this.path = path;
        this.values = values;
        this.pattern = pattern;
        this.most = most;
    }

    private static ArgumentMatcher of(McpConfig.When condition, long most) {
        List<Json> values = new ArrayList<>();
        if (condition.equals() != null) {
            values.add(json(condition.equals()));
        }
        if (condition.in() != null) {
            condition.in().forEach(value -> values.add(json(value)));
        }
        return new ArgumentMatcher(
                List.of(condition.path().split("\\.", -1)),
                List.copyOf(values),
                condition.matches() == null ? null : Pattern.compile(condition.matches()),
                most);
    }

    /** @param most the most bytes of an argument that are compared with an expression */
    static List<ArgumentMatcher> of(List<McpConfig.When> conditions, long most) {
        return conditions.stream().map(condition -> of(condition, most)).toList();
    }

    /** Whether this compares with an expression, which takes longer than other conditions. */
    boolean hasExpression() {
        return pattern != null;
    }

    /** Compares these arguments with the condition; a missing argument fails it. */
    Outcome test(@Nullable Json arguments) {
        Json value = find(arguments);
        if (value == null) {
            return Outcome.FAILS;
        }
        if (pattern != null) {
            return isTooLong(value) ? Outcome.TOO_LONG : outcome(found(pattern, value));
        }
        return outcome(values.stream().anyMatch(allowed -> Json.same(allowed, value)));
    }

    /** Escapes are not counted: the expression sees the characters. */
    private boolean isTooLong(Json value) {
        if (value.end() - value.start() <= most) {
            return false;
        }
        return !(value instanceof Json.Text text) || isLonger(text.value(), most);
    }

    /** Whether a text has more than so many bytes in UTF-8. */
    static boolean isLonger(String text, long bytes) {
        return text.length() > bytes / 3 && text.getBytes(StandardCharsets.UTF_8).length > bytes;
    }

    private static boolean found(Pattern pattern, Json value) {
        return pattern.matcher(value instanceof Json.Text text ? text.value() : JsonWriter.compact(value))
                .find();
    }

    private static Outcome outcome(boolean holds) {
        return holds ? Outcome.HOLDS : Outcome.FAILS;
    }

    private @Nullable Json find(@Nullable Json arguments) {
        Json at = arguments;
        for (String step : path) {
            if (at instanceof Json.Obj object) {
                at = member(object, step);
            } else if (at instanceof Json.Arr array) {
                int index = index(step);
                at = index >= 0 && index < array.items().size() ? array.items().get(index) : null;
            } else {
                return null;
            }
        }
        return at;
    }

    /** The member of this name; null also where the server might read another member as this one. */
    private static @Nullable Json member(Json.Obj object, String name) {
        Json value = object.get(name);
        if (value == null || object.members().size() == 1) {
            return value;
        }
        String folded = Names.fold(name);
        for (String other : object.members().keySet()) {
            if (!other.equals(name) && Names.fold(other).equals(folded)) {
                return null;
            }
        }
        return value;
    }

    /** An array position written as a JSON integer; -1 for anything else. */
    private static int index(String step) {
        boolean spelled = step.length() <= 9
                && !step.isEmpty()
                && step.chars().allMatch(c -> c >= '0' && c <= '9')
                && (step.length() == 1 || step.charAt(0) != '0');
        return spelled ? Integer.parseInt(step) : -1;
    }

    /** A value of the configuration as JSON. */
    static Json json(Object value) {
        return switch (value) {
            case NullValue nothing -> new Json.Null(0, 0);
            case Boolean truth -> new Json.Bool(truth, 0, 0);
            case Number number -> new Json.Num(number.toString(), 0, 0);
            case List<?> list -> {
                List<Json> items = new ArrayList<>();
                list.forEach(item -> items.add(json(item)));
                yield new Json.Arr(List.copyOf(items), 0, 0);
            }
            case Map<?, ?> map -> {
                Map<String, Json> members = new LinkedHashMap<>();
                map.forEach((name, member) -> members.put(name.toString(), json(member)));
                yield new Json.Obj(members, 0, 0);
            }
            default -> new Json.Text(value.toString(), 0, 0);
        };
    }
}
