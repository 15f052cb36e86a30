package dev.sallyport.transforms.secrets.e2e;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks for a value in all that can be read out of a text, one or two steps deep. Each character is one byte. */
final class Leaks {

    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{8,}");

    private Leaks() {}

    /** The readings in which the value is. */
    static List<String> of(String text, String value) {
        List<String> leaks = new ArrayList<>();
        for (String once : readings(text)) {
            for (String twice : readings(once)) {
                if (twice.contains(value)) {
                    leaks.add(twice);
                }
            }
        }
        return leaks;
    }

    private static List<String> readings(String text) {
        return List.of(
                text,
                decode(text, "%([0-9a-fA-F]{2})", hex -> character(hex, 16)),
                decode(text.replace('+', ' '), "%([0-9a-fA-F]{2})", hex -> character(hex, 16)),
                json(text),
                html(text),
                base64(text));
    }

    private static String json(String text) {
        return decode(text, "\\\\(u[0-9a-fA-F]{4}|.)", escape -> switch (escape.charAt(0)) {
            case 'u' -> escape.length() == 5 ? character(escape.substring(1), 16) : escape;
            case 'n' -> "\n";
            case 'r' -> "\r";
            case 't' -> "\t";
            default -> escape;
        });
    }

    private static String html(String text) {
        String numbers = decode(text, "&#([0-9]{1,8});", number -> character(number, 10));
        return decode(numbers, "&#[xX]([0-9a-fA-F]{1,8});", number -> character(number, 16))
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }

    /** Everything that looks like Base64, read from each of its first four digits on. */
    private static String base64(String text) {
        StringBuilder all = new StringBuilder();
        BASE64.matcher(text).results().map(MatchResult::group).forEach(run -> {
            String digits = run.replace('-', '+').replace('_', '/');
            for (int from = 0; from < 4; from++) {
                int length = (digits.length() - from) / 4 * 4;
                String tail = digits.substring(from + length);
                String whole = digits.substring(from, from + length) + (tail.length() > 1 ? tail : "");
                all.append('|').append(new String(Base64.getDecoder().decode(whole), StandardCharsets.ISO_8859_1));
            }
        });
        return all.toString();
    }

    private static String decode(String text, String escape, Function<String, String> meaning) {
        return Pattern.compile(escape, Pattern.DOTALL)
                .matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(meaning.apply(match.group(1))));
    }

    /** In UTF-8, as bytes. */
    private static String character(String digits, int radix) {
        int point = Integer.parseInt(digits, radix);
        if (radix == 16 && digits.length() == 2) {
            return "" + (char) point;
        }
        String text = Character.isValidCodePoint(point) ? Character.toString(point) : "?";
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
