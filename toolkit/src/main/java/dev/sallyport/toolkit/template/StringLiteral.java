package dev.sallyport.toolkit.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * An interpreted string literal of Go: {@code \x} and octal escapes are bytes, {@code \}{@code u} escapes code points.
 */
final class StringLiteral {

    private static final String EXPECTED =
            "\\a \\b \\f \\n \\r \\t \\v \\\\ \\\", three octal digits, \\xhh, \\uhhhh or \\Uhhhhhhhh";
    private static final String SIMPLE = "abfnrtv\\\"";
    private static final byte[] SIMPLE_VALUES = {7, '\b', '\f', '\n', '\r', '\t', 11, '\\', '"'};

    private final String source;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int at;

    /** Reads the literal whose opening quote stands at {@code offset}. */
    StringLiteral(String source, int offset) throws TemplateException {
        this.source = source;
        this.at = offset + 1;
        while (true) {
            if (at >= source.length() || source.charAt(at) == '\n') {
                throw TemplateException.at(source, offset, "an unclosed string", "a closing double quote");
            }
            char c = source.charAt(at);
            if (c == '"') {
                at++;
                return;
            }
            if (c == '\\') {
                escape();
            } else {
                int codePoint = source.codePointAt(at);
                codePoint(codePoint);
                at += Character.charCount(codePoint);
            }
        }
    }

    private void escape() throws TemplateException {
        int from = at++;
        char c = at < source.length() ? source.charAt(at) : 0;
        int simple = SIMPLE.indexOf(c);
        if (simple >= 0) {
            out.write(SIMPLE_VALUES[simple]);
            at++;
            return;
        }
        switch (c) {
            case 'x' -> out.write(digits(from, at + 1, 2, 16));
            case 'u' -> codePoint(scalar(from, digits(from, at + 1, 4, 16)));
            case 'U' -> codePoint(scalar(from, digits(from, at + 1, 8, 16)));
            case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                int value = digits(from, at, 3, 8);
                if (value > 255) {
                    throw fault(from);
                }
                out.write(value);
            }
            default -> throw fault(from);
        }
    }

    private int digits(int escape, int from, int count, int radix) throws TemplateException {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            int digit = i < source.length() && source.charAt(i) < 0x80 ? Character.digit(source.charAt(i), radix) : -1;
            if (digit < 0) {
                throw fault(escape);
            }
            value = value * radix + digit;
        }
        at = from + count;
        return (int) Math.min(value, Integer.MAX_VALUE);
    }

    private int scalar(int escape, int value) throws TemplateException {
        if (value > Character.MAX_CODE_POINT || (value >= 0xD800 && value <= 0xDFFF)) {
            throw fault(escape);
        }
        return value;
    }

    private void codePoint(int codePoint) {
        out.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
    }

    private TemplateException fault(int offset) {
        return TemplateException.at(source, offset, "an unknown escape in a string", EXPECTED);
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    /** The position after the closing quote. */
    int end() {
        return at;
    }
}
