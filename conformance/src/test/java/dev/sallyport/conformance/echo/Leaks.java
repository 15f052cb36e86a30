package dev.sallyport.conformance.echo;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads all that can be read out of a text, two steps deep, as one who is after a value would. Characters are bytes. */
final class Leaks {

    /** So many bytes in a row are a leak. */
    static final int LEAST = 8;

    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{8,}");
    private static final Pattern PERCENT = Pattern.compile("%([0-9a-fA-F]{2})");
    /** An escape that the end of the text cuts in two says nothing. */
    private static final Pattern JSON = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|u[0-9a-fA-F]{0,3}\\z|.)", Pattern.DOTALL);

    private static final Pattern HTML = Pattern.compile("&#([0-9]{1,8}|[xX][0-9a-fA-F]{1,8});");

    private Leaks() {}

    /**
     * What can be read of a value behind its public beginning, or null for nothing.
     *
     * @param known how much of the value everybody knows
     */
    static @Nullable String of(String text, String value, int known) {
        for (String once : readings(text)) {
            for (String twice : readings(once)) {
                for (int from = known; from + LEAST <= value.length(); from++) {
                    if (twice.contains(value.substring(from, from + LEAST))) {
                        return value.substring(from, from + LEAST);
                    }
                }
            }
        }
        return null;
    }

    private static Set<String> readings(String text) {
        Set<String> all = new LinkedHashSet<>();
        all.add(text);
        if (text.indexOf('%') >= 0) {
            all.add(percent(text));
            all.add(percent(text.replace('+', ' ')));
        } else if (text.indexOf('+') >= 0) {
            all.add(text.replace('+', ' '));
        }
        if (text.indexOf('\\') >= 0) {
            all.add(json(text));
        }
        if (text.indexOf('&') >= 0) {
            all.add(html(text));
        }
        if (text.indexOf('\0') >= 0) {
            all.add(text.replace("\0", ""));
        }
        all.add(base64(text));
        return all;
    }

    private static String percent(String text) {
        return PERCENT.matcher(text).replaceAll(hex -> quoted(Integer.parseInt(hex.group(1), 16), c -> "" + (char) c));
    }

    private static String json(String text) {
        return JSON.matcher(text).replaceAll(escape -> {
            String what = escape.group(1);
            return switch (what.charAt(0)) {
                case 'u' ->
                    what.length() == 5
                            ? quoted(Integer.parseInt(what.substring(1), 16), Leaks::utf8)
                            : escape.end() == text.length() ? "" : "u";
                case 'n' -> "\n";
                case 'r' -> "\r";
                case 't' -> "\t";
                default -> Matcher.quoteReplacement(what);
            };
        });
    }

    private static String html(String text) {
        return HTML.matcher(text)
                .replaceAll(reference -> {
                    String digits = reference.group(1);
                    boolean hexadecimal = Character.toLowerCase(digits.charAt(0)) == 'x';
                    int point = hexadecimal ? Integer.parseInt(digits.substring(1), 16) : Integer.parseInt(digits);
                    return quoted(point, Leaks::utf8);
                })
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }

    /** Everything that looks like Base64, read from each of its first four digits on. */
    private static String base64(String text) {
        StringBuilder all = new StringBuilder();
        Matcher runs = BASE64.matcher(text);
        while (runs.find()) {
            String digits = runs.group().replace('-', '+').replace('_', '/');
            for (int from = 0; from < 4; from++) {
                int length = (digits.length() - from) / 4 * 4;
                String tail = digits.substring(from + length);
                String whole = digits.substring(from, from + length) + (tail.length() > 1 ? tail : "");
                all.append('|').append(Line.text(Base64.getDecoder().decode(whole)));
            }
        }
        return all.toString();
    }

    private static String quoted(int point, IntFunction<String> text) {
        return Matcher.quoteReplacement(text.apply(point));
    }

    private static String utf8(int point) {
        String text = Character.isValidCodePoint(point) ? Character.toString(point) : "?";
        return Line.text(text.getBytes(StandardCharsets.UTF_8));
    }
}
