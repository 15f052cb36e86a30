package dev.sallyport.compare.peer;

import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Fills in what differs from run to run: {@code @name@} becomes the value of the name. A line that begins with
 * {@code @repeat N } becomes N lines of what follows, in each of which {@code #} is the number of the line, from 0.
 */
final class Template {

    private static final Pattern NAME = Pattern.compile("@([a-z_]+)@");
    private static final Pattern REPEAT = Pattern.compile("^@repeat (\\d+) (.*)$", Pattern.MULTILINE);

    private Template() {}

    /** @throws IllegalArgumentException for a name that has no value */
    static String fill(String text, Map<String, String> values) {
        String filled = NAME.matcher(text).replaceAll(match -> {
            String value = values.get(match.group(1));
            if (value == null) {
                throw new IllegalArgumentException(
                        match.group() + ": no such value (expected: one of " + new TreeSet<>(values.keySet()) + ")");
            }
            return java.util.regex.Matcher.quoteReplacement(value);
        });
        return REPEAT.matcher(filled).replaceAll(match -> java.util.regex.Matcher.quoteReplacement(repeated(match)));
    }

    private static String repeated(MatchResult match) {
        int times = Integer.parseInt(match.group(1));
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < times; i++) {
            lines.append(i == 0 ? "" : "\n").append(match.group(2).replace("#", Integer.toString(i)));
        }
        return lines.toString();
    }
}
