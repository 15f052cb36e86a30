package dev.sallyport.mcp.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one JSON text (RFC 8259) in UTF-8 and refuses everything about which readers differ: two members of one name
 * (escapes resolved), malformed UTF-8, a byte order mark, lone surrogates, numbers that no double can hold, a second
 * text, comments, more than {@value #MAX_DEPTH} levels. For one text and one thread.
 */
public final class JsonParser {

    /** How deep arrays and objects may be nested. */
    public static final int MAX_DEPTH = 128;

    /** The longest number. */
    private static final int MAX_NUMBER = 1000;

    /** A number with at most this many digits and no exponent fits a double. */
    private static final int SAFE_NUMBER = 300;

    private final byte[] in;
    private final int limit;
    private final Reading reading;
    private int at;
    private int depth;

    /** Of an outermost array, one more than this is read. */
    private int mostItems = Integer.MAX_VALUE;

    /** What is no fault. */
    private enum Reading {
        /** What all readers take alike. */
        STRICT,
        /** What all readers that take it end in the same place. */
        LENIENT,
        /** As before, and members of one name. */
        REPEATING
    }

    private JsonParser(byte[] in, int from, int to, Reading reading) {
        this.in = in;
        this.at = from;
        this.limit = to;
        this.reading = reading;
    }

    /** Reads a whole array of bytes as one text. */
    public static Json parse(byte[] text) throws JsonSyntaxException {
        return parse(text, 0, text.length);
    }

    /**
     * Reads a whole array of bytes as one text; but of an outermost array that has more items than this, one more than that,
     * and nothing behind it.
     */
    public static Json parseUpTo(byte[] text, int mostItems) throws JsonSyntaxException {
        JsonParser parser = new JsonParser(text, 0, text.length, Reading.STRICT);
        parser.mostItems = mostItems;
        return parse(parser);
    }

    /** Reads a range of bytes as one text; the places in the result are those in the array. */
    public static Json parse(byte[] text, int from, int to) throws JsonSyntaxException {
        return parse(new JsonParser(text, from, to, Reading.STRICT));
    }

    /**
     * Reads a text of which only the structure counts, and which keeps its bytes: a byte order mark, lone surrogates,
     * control characters in strings, numbers of any size, {@code NaN} and {@code Infinity} are no faults, since all
     * readers that take them agree where they end.
     */
    public static Json parseLeniently(byte[] text) throws JsonSyntaxException {
        return parse(new JsonParser(text, JsonDetector.markLength(text), text.length, Reading.LENIENT));
    }

    /**
     * As {@link #parseLeniently}, of a text whose objects may have members of one name. The first keeps its name; the
     * last of the others has it with {@code U+0000} behind, and so {@linkplain Names#resembles resembles} it. To tell
     * what a text does not hold.
     */
    public static Json parseRepeating(byte[] text) throws JsonSyntaxException {
        return parse(new JsonParser(text, JsonDetector.markLength(text), text.length, Reading.REPEATING));
    }

    private static Json parse(JsonParser parser) throws JsonSyntaxException {
        parser.space();
        Json value = parser.value();
        parser.space();
        if (parser.at < parser.limit) {
            throw parser.fault("text follows the end of the JSON text");
        }
        return value;
    }

    private Json value() throws JsonSyntaxException {
        int start = at;
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> {
                String text = string();
                yield new Json.Text(text, start, at);
            }
            case 't' -> {
                word("true");
                yield new Json.Bool(true, start, at);
            }
            case 'f' -> {
                word("false");
                yield new Json.Bool(false, start, at);
            }
            case 'n' -> {
                word("null");
                yield new Json.Null(start, at);
            }
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' ->
                isLenient() && isNoNumber() ? noNumber() : number();
            case 'N', 'I' -> {
                if (!isLenient()) {
                    throw fault("not a JSON value");
                }
                yield noNumber();
            }
            default -> throw fault("not a JSON value");
        };
    }

    private boolean isLenient() {
        return reading != Reading.STRICT;
    }

    /** Whether something comes that ECMAScript and Python write where JSON has no number. */
    private boolean isNoNumber() {
        return at + 1 < limit && (in[at + 1] == 'N' || in[at + 1] == 'I');
    }

    private Json noNumber() throws JsonSyntaxException {
        int start = at;
        if (in[at] == '-') {
            at++;
        }
        word(peek() == 'N' ? "NaN" : "Infinity");
        return new Json.Num(new String(in, start, at - start, StandardCharsets.ISO_8859_1), start, at);
    }

    private Json object() throws JsonSyntaxException {
        int start = at;
        enter();
        Map<String, Json> members = new LinkedHashMap<>();
        space();
        if (peek() == '}') {
            at++;
        } else {
            do {
                space();
                int nameAt = at;
                if (peek() != '"') {
                    throw fault("a member has no name in double quotes");
                }
                String name = string();
                space();
                if (peek() != ':') {
                    throw fault("no colon after the name of a member");
                }
                at++;
                space();
                member(members, name, nameAt);
                space();
            } while (more('}'));
        }
        depth--;
        return new Json.Obj(Collections.unmodifiableMap(members), start, at);
    }

    private void member(Map<String, Json> members, String name, int nameAt) throws JsonSyntaxException {
        Json value = value();
        Json first = members.putIfAbsent(name, value);
        if (first != null && reading != Reading.REPEATING) {
            throw new JsonSyntaxException("two members of one name", nameAt);
        }
        if (first != null) {
            members.put(name + '\0', value);
        }
    }

    private Json array() throws JsonSyntaxException {
        int start = at;
        enter();
        List<Json> items = new ArrayList<>();
        space();
        if (peek() == ']') {
            at++;
        } else {
            do {
                space();
                items.add(value());
                if (depth == 1 && items.size() > mostItems) {
                    at = limit;
                    break;
                }
                space();
            } while (more(']'));
        }
        depth--;
        return new Json.Arr(Collections.unmodifiableList(items), start, at);
    }

    private void enter() throws JsonSyntaxException {
        if (++depth > MAX_DEPTH) {
            throw fault("more than " + MAX_DEPTH + " levels");
        }
        at++;
    }

    private boolean more(char close) throws JsonSyntaxException {
        int next = peek();
        if (next != ',' && next != close) {
            throw fault("neither a comma nor the end of " + (close == '}' ? "an object" : "an array"));
        }
        at++;
        return next == ',';
    }

    private void word(String word) throws JsonSyntaxException {
        for (int i = 0; i < word.length(); i++) {
            if (peek() != word.charAt(i)) {
                throw fault("not a JSON value");
            }
            at++;
        }
    }

    private Json number() throws JsonSyntaxException {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        boolean exponent = false;
        if (at < limit && in[at] == '.') {
            at++;
            digits();
        }
        if (at < limit && (in[at] == 'e' || in[at] == 'E')) {
            exponent = true;
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
        if (at < limit && (in[at] >= '0' && in[at] <= '9')) {
            throw fault("a number with a leading zero");
        }
        int length = at - start;
        if (length > MAX_NUMBER && !isLenient()) {
            throw new JsonSyntaxException("a number of more than " + MAX_NUMBER + " characters", start);
        }
        String spelling = new String(in, start, length, StandardCharsets.ISO_8859_1);
        if (!isLenient() && (exponent || length > SAFE_NUMBER) && Numbers.isBeyondDouble(spelling)) {
            throw new JsonSyntaxException("a number that no double can hold", start);
        }
        return new Json.Num(spelling, start, at);
    }

    private void digits() throws JsonSyntaxException {
        int first = at;
        while (at < limit && in[at] >= '0' && in[at] <= '9') {
            at++;
        }
        if (at == first) {
            throw fault("a digit is missing");
        }
    }

    /** Reads from the opening quote through the closing one. */
    private String string() throws JsonSyntaxException {
        int start = ++at;
        while (at < limit) {
            byte b = in[at];
            if (b == '"') {
                return new String(in, start, at++ - start, StandardCharsets.UTF_8);
            }
            if (b == '\\') {
                return escaped(start);
            }
            character();
        }
        throw fault("a string does not end");
    }

    /** Reads the rest of a string that has escapes. */
    private String escaped(int start) throws JsonSyntaxException {
        StringBuilder text = new StringBuilder(64);
        int run = start;
        while (at < limit) {
            byte b = in[at];
            if (b == '"' || b == '\\') {
                if (at > run) {
                    text.append(new String(in, run, at - run, StandardCharsets.UTF_8));
                }
                at++;
                if (b == '"') {
                    return text.toString();
                }
                escape(text);
                run = at;
            } else {
                character();
            }
        }
        throw fault("a string does not end");
    }

    private void escape(StringBuilder text) throws JsonSyntaxException {
        int kind = peek();
        at++;
        switch (kind) {
            case '"', '\\', '/' -> text.append((char) kind);
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> unicode(text);
            default -> throw new JsonSyntaxException("an escape that JSON does not know", at - 1);
        }
    }

    private void unicode(StringBuilder text) throws JsonSyntaxException {
        int escapeAt = at - 2;
        char first = hex();
        text.append(first);
        if (isLenient() || !Character.isSurrogate(first)) {
            return;
        }
        boolean follows = Character.isHighSurrogate(first) && at + 1 < limit && in[at] == '\\' && in[at + 1] == 'u';
        if (follows) {
            at += 2;
            char second = hex();
            text.append(second);
            follows = Character.isLowSurrogate(second);
        }
        if (!follows) {
            throw new JsonSyntaxException("half a surrogate pair", escapeAt);
        }
    }

    private char hex() throws JsonSyntaxException {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0 || peek() > 'f') {
                throw fault("an escape without four hexadecimal digits");
            }
            value = value << 4 | digit;
            at++;
        }
        return (char) value;
    }

    /** Steps over one character of a string. */
    private void character() throws JsonSyntaxException {
        if (in[at] >= 0) { // ASCII, which most are
            if (in[at] < ' ' && !isLenient()) {
                throw fault("a control character in a string");
            }
            at++;
            return;
        }
        int length = Utf8.length(in, at, limit);
        if (length == Utf8.MALFORMED) {
            throw fault("malformed UTF-8");
        }
        at += length;
    }

    private void space() {
        while (at < limit && (in[at] == ' ' || in[at] == '\t' || in[at] == '\n' || in[at] == '\r')) {
            at++;
        }
    }

    private int peek() throws JsonSyntaxException {
        if (at >= limit) {
            throw fault("the JSON text breaks off");
        }
        return in[at] & 0xff;
    }

    private JsonSyntaxException fault(String what) {
        return new JsonSyntaxException(what, at);
    }
}
