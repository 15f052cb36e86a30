package dev.sallyport.server.learn;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes strings as YAML 1.2, plain where that is a string and safe in flow and block. Pure functions. */
public final class YamlScalars {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_/][A-Za-z0-9_./@+*~=-]*");
    private static final Set<String> NO_STRINGS = Set.of("true", "false", "null");

    private YamlScalars() {}

    /** One string. */
    public static String of(String text) {
        boolean plain = PLAIN.matcher(text).matches() && !NO_STRINGS.contains(text.toLowerCase(Locale.ROOT));
        return plain ? text : quoted(text);
    }

    /** Several in a flow sequence. */
    public static String list(Collection<?> values) {
        return values.stream()
                .map(value -> value instanceof Number ? value.toString() : of(value.toString()))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if ((c >= ' ' && c < 0x7F) || Character.isLetterOrDigit(c)) {
                out.append(c);
            } else {
                out.append("\\u%04x".formatted((int) c));
            }
        }
        return out.append('"').toString();
    }
}
