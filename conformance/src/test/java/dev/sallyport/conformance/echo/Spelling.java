package dev.sallyport.conformance.echo;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * A way in which an origin may write what it got. Each character is one byte.
 *
 * @param name for messages
 * @param write from the value to the text
 */
record Spelling(String name, UnaryOperator<String> write) {

    /** One step. */
    static final List<Spelling> SIMPLE = simple();

    /** The promise: one step, and what encoders in use write put through one more. */
    static final List<Spelling> ALL = all();

    String of(String value) {
        return write.apply(value);
    }

    private static List<Spelling> simple() {
        List<Spelling> all = new ArrayList<>();
        all.add(new Spelling("identity", text -> text));
        all.add(new Spelling("form", Spelling::form));
        all.add(new Spelling("percent", text -> form(text).replace("+", "%20")));
        all.add(new Spelling("percent, lower case", text -> lower(form(text))));
        all.add(new Spelling("percent, every byte", text -> every(text, "%%%02X")));
        all.add(new Spelling("percent, every byte, lower case", text -> every(text, "%%%02x")));
        all.add(new Spelling("json", text -> json(text, false)));
        all.add(new Spelling("json with slashes", text -> json(text, true)));
        all.add(new Spelling("json, every character", text -> every(text, "\\u%04x")));
        all.add(new Spelling("json, every character, upper case", text -> every(text, "\\u%04X")));
        all.add(new Spelling("html", Spelling::html));
        all.add(new Spelling("html, decimal", text -> every(text, "&#%d;")));
        all.add(new Spelling("html, hexadecimal", text -> every(text, "&#x%x;")));
        all.add(new Spelling("html, filled", text -> every(text, "&#X%08X;")));
        all.add(new Spelling("html, named apostrophe", text -> html(text).replace("&#39;", "&apos;")));
        all.add(new Spelling("mixed", Spelling::mixed));
        for (String before : List.of("", "x", "xx")) {
            String at = ", offset " + before.length();
            all.add(new Spelling("base64" + at, text -> base64(before + text, false)));
            all.add(new Spelling(
                    "base64 unpadded" + at, text -> base64(before + text, false).replace("=", "")));
            all.add(new Spelling("base64url" + at, text -> base64(before + text, true)));
            all.add(new Spelling(
                    "base64url unpadded" + at,
                    text -> base64(before + text, true).replace("=", "")));
            all.add(new Spelling("base64 with more" + at, text -> base64(before + text + " and more", false)));
        }
        all.add(new Spelling("utf-16be", text -> utf16(text, true)));
        all.add(new Spelling("utf-16le", text -> utf16(text, false)));
        all.add(new Spelling("utf-16be with mark", text -> "\u00FE\u00FF" + utf16("a " + text, true)));
        all.add(new Spelling("utf-16le with mark", text -> "\u00FF\u00FE" + utf16("a " + text, false)));
        return List.copyOf(all);
    }

    private static List<Spelling> all() {
        List<Spelling> inner = List.of(
                named("percent"),
                named("form"),
                named("json"),
                named("json with slashes"),
                named("html"),
                named("base64, offset 0"),
                named("base64, offset 1"),
                named("base64, offset 2"),
                named("base64url unpadded, offset 0"));
        List<Spelling> outer = new ArrayList<>(inner);
        for (String name :
                List.of("html, decimal", "json, every character", "percent, every byte", "utf-16be", "utf-16le")) {
            outer.add(named(name));
        }
        List<Spelling> all = new ArrayList<>(SIMPLE);
        for (Spelling first : inner) {
            for (Spelling second : outer) {
                all.add(new Spelling(second.name + " of " + first.name, text -> second.of(first.of(text))));
            }
        }
        return List.copyOf(all);
    }

    private static Spelling named(String name) {
        return SIMPLE.stream().filter(one -> one.name.equals(name)).findFirst().orElseThrow();
    }

    private static String form(String text) {
        return URLEncoder.encode(text, StandardCharsets.ISO_8859_1);
    }

    private static String lower(String percent) {
        StringBuilder out = new StringBuilder(percent);
        for (int i = 0; i < out.length(); i++) {
            if (out.charAt(i) == '%') {
                out.replace(i + 1, i + 3, out.substring(i + 1, i + 3).toLowerCase(Locale.ROOT));
            }
        }
        return out.toString();
    }

    private static String every(String text, String format) {
        StringBuilder out = new StringBuilder();
        text.chars().forEach(c -> out.append(String.format(Locale.ROOT, format, c)));
        return out.toString();
    }

    private static String json(String text, boolean slashes) {
        String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
        return slashes ? escaped.replace("/", "\\/") : escaped;
    }

    private static String html(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** Every third character in another way. */
    private static String mixed(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            out.append(i % 3 == 0 ? every(text.substring(i, i + 1), "%%%02x") : text.substring(i, i + 1));
        }
        return out.toString();
    }

    private static String base64(String text, boolean url) {
        Base64.Encoder encoder = url ? Base64.getUrlEncoder() : Base64.getEncoder();
        return encoder.encodeToString(Line.bytes(text));
    }

    private static String utf16(String text, boolean bigEndian) {
        return Line.text(text.getBytes(bigEndian ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_16LE));
    }

    @Override
    public String toString() {
        return name;
    }
}
