package dev.sallyport.toolkit.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * A format of {@code printf}: the verbs {@code %s %v %d %x %X %q %%} with a width, {@code -}, for numbers also
 * {@code 0}, {@code +} and space, for {@code %s} a precision. Immutable.
 */
final class Format {

    private static final int MAX_WIDTH = 4096;
    private static final String VERBS = "s, v, d, x, X, q or % after %";

    private final List<Piece> pieces = new ArrayList<>();
    private int arguments;

    private sealed interface Piece {}

    private record Text(Bytes bytes) implements Piece {}

    /** A verb; {@code precision} is negative when there is none. */
    private record Verb(char verb, String flags, int width, int precision) implements Piece {
        boolean has(char flag) {
            return flags.indexOf(flag) >= 0;
        }
    }

    /** A problem with a format or its arguments. */
    static final class FormatFault extends Exception {
        private static final long serialVersionUID = 1L;
        private final String reason;
        private final String expected;

        FormatFault(String reason, String expected) {
            super(reason);
            this.reason = reason;
            this.expected = expected;
        }

        String reason() {
            return reason;
        }

        String expected() {
            return expected;
        }
    }

    /** Compiles a format for arguments of these kinds. */
    Format(byte[] format, List<Kind> kinds) throws FormatFault {
        int from = 0;
        int at = 0;
        while (at < format.length) {
            if (format[at] != '%') {
                at++;
                continue;
            }
            text(format, from, at);
            if (at + 1 < format.length && format[at + 1] == '%') {
                from = at + 1;
                at += 2;
                continue;
            }
            at = verb(format, at + 1, kinds);
            from = at;
        }
        text(format, from, at);
        if (arguments < kinds.size()) {
            throw new FormatFault("more arguments than verbs in a format", arguments + " after the format");
        }
    }

    private void text(byte[] format, int from, int to) {
        if (to > from) {
            pieces.add(new Text(Bytes.copyOf(format, from, to)));
        }
    }

    private int verb(byte[] format, int from, List<Kind> kinds) throws FormatFault {
        int at = from;
        StringBuilder flags = new StringBuilder();
        while (at < format.length && "-+ 0".indexOf(format[at]) >= 0) {
            flags.append((char) format[at++]);
        }
        int width = 0;
        while (at < format.length && isDigit(format[at])) {
            width = Math.min(width * 10 + format[at++] - '0', MAX_WIDTH + 1);
        }
        int precision = -1;
        if (at < format.length && format[at] == '.') {
            precision = 0;
            at++;
            while (at < format.length && isDigit(format[at])) {
                precision = Math.min(precision * 10 + format[at++] - '0', Integer.MAX_VALUE / 16);
            }
        }
        if (at == format.length || "svdxXq".indexOf(format[at]) < 0) {
            throw new FormatFault("an unknown verb in a format", VERBS);
        }
        Verb verb = new Verb((char) format[at], flags.toString(), width, precision);
        if (arguments == kinds.size()) {
            throw new FormatFault("fewer arguments than verbs in a format", "one for each verb");
        }
        check(verb, kinds.get(arguments));
        pieces.add(verb);
        arguments++;
        return at + 1;
    }

    private static void check(Verb verb, Kind kind) throws FormatFault {
        boolean fits = switch (verb.verb()) {
            case 's', 'q' -> kind == Kind.TEXT;
            case 'd' -> kind == Kind.NUMBER;
            case 'v' -> kind != Kind.MAP;
            default -> kind == Kind.TEXT || kind == Kind.NUMBER;
        };
        if (!fits) {
            throw new FormatFault("the verb " + verb.verb() + " of a format for " + kind.words(), wanted(verb.verb()));
        }
        if (verb.width() > MAX_WIDTH) {
            throw new FormatFault("a width in a format that is too large", "at most " + MAX_WIDTH);
        }
        if (kind != Kind.NUMBER && (verb.has('+') || verb.has(' ') || verb.has('0'))) {
            throw new FormatFault("a flag for numbers in a format", "- or no flag");
        }
        if (verb.precision() >= 0 && verb.verb() != 's') {
            throw new FormatFault("a precision in a format", "a precision for the verb s only");
        }
    }

    private static String wanted(char verb) {
        return switch (verb) {
            case 'd' -> Kind.NUMBER.words();
            case 's', 'q' -> Kind.TEXT.words();
            default -> "a text or a number";
        };
    }

    byte[] apply(List<Expression> values, TemplateValues fields) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int argument = 0;
        for (Piece piece : pieces) {
            switch (piece) {
                case Text text -> out.writeBytes(text.bytes().array());
                case Verb verb -> write(verb, values.get(argument++).value(fields), out);
            }
        }
        return out.toByteArray();
    }

    private static void write(Verb verb, Object value, ByteArrayOutputStream out) {
        byte[] bytes = value instanceof Long number ? number(verb, number) : text(verb, Values.bytes(value));
        int padding = verb.width() - Utf8.count(bytes);
        if (padding > 0 && !verb.has('-')) {
            out.writeBytes(" ".repeat(padding).getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBytes(bytes);
        if (padding > 0 && verb.has('-')) {
            out.writeBytes(" ".repeat(padding).getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static byte[] text(Verb verb, byte[] text) {
        return switch (verb.verb()) {
            case 'q' -> Quoting.quote(text);
            case 'x', 'X' -> hex(verb, text).getBytes(StandardCharsets.US_ASCII);
            default -> verb.precision() < 0 ? text : Arrays.copyOf(text, Utf8.offset(text, verb.precision()));
        };
    }

    private static String hex(Verb verb, byte[] text) {
        HexFormat format = HexFormat.of();
        return (verb.verb() == 'X' ? format.withUpperCase() : format).formatHex(text);
    }

    private static byte[] number(Verb verb, long number) {
        boolean hex = verb.verb() == 'x' || verb.verb() == 'X';
        String digits = Long.toString(number, hex ? 16 : 10);
        String sign = number < 0 ? "-" : verb.has('+') ? "+" : verb.has(' ') ? " " : "";
        digits = number < 0 ? digits.substring(1) : digits;
        if (verb.verb() == 'X') {
            digits = digits.toUpperCase(Locale.ROOT);
        }
        int zeros = verb.has('0') && !verb.has('-') ? verb.width() - sign.length() - digits.length() : 0;
        return (sign + "0".repeat(Math.max(0, zeros)) + digits).getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
