package dev.sallyport.server.otlp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Environment variables, read with complaints: each says which variable it is about and what was expected, and repeats no
 * value that may hold a credential. An empty variable counts as unset. Not thread-safe.
 */
final class Variables {

    private final Map<String, String> environment;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }

    void problem(String variable, String problem, String expected) {
        problems.add(text(variable, problem, expected));
    }

    void warn(String variable, String problem, String expected) {
        warnings.add(text(variable, problem, expected));
    }

    private static String text(String variable, String problem, String expected) {
        return "environment: " + variable + ": " + problem + " (expected: " + expected + ")";
    }

    /** The value without white space around it, or null. */
    @Nullable String get(String variable) {
        String value = environment.get(variable);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** The first of these that is set, or null. */
    @Nullable String first(String... variables) {
        for (String variable : variables) {
            if (get(variable) != null) {
                return variable;
            }
        }
        return null;
    }

    int number(String variable, int otherwise, int least, int most) {
        String value = get(variable);
        if (value == null) {
            return otherwise;
        }
        if (value.matches("[0-9]{1,10}")) {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return (int) number;
            }
        }
        problem(variable, "\"" + shown(value) + "\"", "a whole number from " + least + " to " + most);
        return otherwise;
    }

    <T> T choice(String variable, T otherwise, Map<String, T> choices) {
        String value = get(variable);
        if (value == null) {
            return otherwise;
        }
        T chosen = choices.get(value);
        if (chosen == null) {
            problem(
                    variable,
                    "\"" + shown(value) + "\"",
                    String.join(", ", choices.keySet().stream().sorted().toList()));
            return otherwise;
        }
        return chosen;
    }

    /**
     * A list of {@code key=value}, values percent-encoded.
     *
     * @param fault what is wrong with a pair, or null; the pair is decoded
     */
    Map<String, String> pairs(String variable, Function<Map.Entry<String, String>, @Nullable String> fault) {
        Map<String, String> pairs = new LinkedHashMap<>();
        String value = get(variable);
        if (value == null) {
            return pairs;
        }
        int position = 0;
        for (String pair : value.split(",", -1)) {
            position++;
            if (pair.isBlank()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String decoded =
                    equals < 0 ? null : decoded(pair.substring(equals + 1).strip());
            String key = equals < 0 ? "" : pair.substring(0, equals).strip();
            String wrong = equals < 0
                    ? "has no ="
                    : key.isEmpty()
                            ? "has no key"
                            : decoded == null ? "has a broken percent-encoding" : fault.apply(Map.entry(key, decoded));
            if (wrong == null && decoded != null) {
                pairs.put(key, decoded);
            } else {
                problem(variable, "pair " + position + " " + wrong, "key=value,key=value with values percent-encoded");
            }
        }
        return pairs;
    }

    /** Null when it cannot be decoded; a plus sign stands for itself. */
    private static @Nullable String decoded(String value) {
        if (value.indexOf('%') < 0) {
            return value;
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        byte[] to = new byte[bytes.length];
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                to[length++] = bytes[i];
                continue;
            }
            int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
            if (low < 0) {
                return null;
            }
            to[length++] = (byte) (high << 4 | low);
            i += 2;
        }
        return new String(to, 0, length, StandardCharsets.UTF_8);
    }

    private static String shown(String value) {
        return value.length() > 40 ? value.substring(0, 40) + "..." : value;
    }
}
