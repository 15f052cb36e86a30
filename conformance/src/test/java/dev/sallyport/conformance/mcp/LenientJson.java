package dev.sallyport.conformance.mcp;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON as the most tolerant of parsers reads it: every member of an object is kept, however often it is named; comments,
 * any quotes, bare words, missing and surplus commas, control characters and unknown escapes pass; whatever stands before,
 * between and after values is skipped.
 */
final class LenientJson {

    /** The members of an object, in order, duplicates included. */
    record Members(List<Member> list) {}

    record Member(String name, @Nullable Object value) {}

    private static final String QUOTES = "\"'`\u201c\u201d";
    private static final String END_OF_WORD = ",:{}[]\"'";

    private final String text;
    private int at;

    private LenientJson(String text) {
        this.text = text;
    }

    /** Every value that stands in the text, one after the other: {@link Members}, lists, strings, or null. */
    static List<@Nullable Object> values(String text) {
        LenientJson parser = new LenientJson(text);
        List<@Nullable Object> values = new ArrayList<>();
        while (parser.more()) {
            char next = text.charAt(parser.at);
            if (next == '{' || next == '[' || QUOTES.indexOf(next) >= 0) {
                values.add(parser.value());
            } else {
                parser.at++;
            }
        }
        return values;
    }

    private boolean more() {
        blank();
        return at < text.length();
    }

    private void blank() {
        while (at < text.length()) {
            char next = text.charAt(at);
            if (text.startsWith("//", at) || next == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end + 1;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                at = end < 0 ? text.length() : end + 2;
            } else if (Character.isWhitespace(next) || next < ' ' || next == '\ufeff' || Character.isSpaceChar(next)) {
                at++;
            } else {
                return;
            }
        }
    }

    private @Nullable Object value() {
        if (!more()) {
            return null;
        }
        char next = text.charAt(at);
        if (next == '{') {
            return members();
        }
        if (next == '[') {
            return elements();
        }
        return QUOTES.indexOf(next) >= 0 ? quoted() : word();
    }

    private Members members() {
        List<Member> members = new ArrayList<>();
        at++;
        while (more() && text.charAt(at) != '}') {
            if (END_OF_WORD.indexOf(text.charAt(at)) >= 0 && QUOTES.indexOf(text.charAt(at)) < 0) {
                at++;
                continue;
            }
            String name = QUOTES.indexOf(text.charAt(at)) >= 0 ? quoted() : word();
            if (more() && (text.charAt(at) == ':' || text.charAt(at) == '=')) {
                at++;
            }
            members.add(new Member(name, value()));
        }
        at++;
        return new Members(members);
    }

    private List<@Nullable Object> elements() {
        List<@Nullable Object> elements = new ArrayList<>();
        at++;
        while (more() && text.charAt(at) != ']') {
            if (text.charAt(at) == ',' || text.charAt(at) == '}' || text.charAt(at) == ':') {
                at++;
            } else {
                elements.add(value());
            }
        }
        at++;
        return elements;
    }

    private String quoted() {
        char quote = text.charAt(at++);
        char end = quote == '\u201c' ? '\u201d' : quote;
        StringBuilder value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != end) {
            char next = text.charAt(at++);
            if (next == '\\' && at < text.length()) {
                escaped(value);
            } else {
                value.append(next);
            }
        }
        at++;
        return value.toString();
    }

    private void escaped(StringBuilder value) {
        char kind = text.charAt(at++);
        switch (kind) {
            case 'n' -> value.append('\n');
            case 't' -> value.append('\t');
            case 'r' -> value.append('\r');
            case 'b' -> value.append('\b');
            case 'f' -> value.append('\f');
            case 'u', 'U' -> hex(value, 4);
            case 'x' -> hex(value, 2);
            default -> value.append(kind);
        }
    }

    private void hex(StringBuilder value, int digits) {
        int end = at;
        while (end < text.length() && end < at + digits && Character.digit(text.charAt(end), 16) >= 0) {
            end++;
        }
        if (end > at) {
            value.append((char) Integer.parseInt(text.substring(at, end), 16));
        }
        at = end;
    }

    private String word() {
        int start = at;
        while (at < text.length()
                && END_OF_WORD.indexOf(text.charAt(at)) < 0
                && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        if (at == start) {
            at++;
        }
        return text.substring(start, Math.min(at, text.length()));
    }
}
