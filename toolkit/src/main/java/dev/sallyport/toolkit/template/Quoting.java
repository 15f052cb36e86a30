package dev.sallyport.toolkit.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Go's {@code %q}: a text in double quotes, with unprintable characters escaped. */
final class Quoting {

    private static final String SIMPLE = "\u0007\b\f\n\r\t\u000b\\\"";
    private static final String SIMPLE_ESCAPES = "abfnrtv\\\"";

    private Quoting() {}

    static byte[] quote(byte[] text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length + 2);
        out.write('"');
        int at = 0;
        while (at < text.length) {
            int codePoint = Utf8.codePoint(text, at);
            int length = Utf8.length(codePoint);
            int simple = codePoint == Utf8.INVALID ? -1 : SIMPLE.indexOf(codePoint);
            if (simple >= 0) {
                out.write('\\');
                out.write(SIMPLE_ESCAPES.charAt(simple));
            } else if (codePoint != Utf8.INVALID && isPrintable(codePoint)) {
                out.write(text, at, length);
            } else {
                out.writeBytes(escape(codePoint, text[at]).getBytes(StandardCharsets.US_ASCII));
            }
            at += length;
        }
        out.write('"');
        return out.toByteArray();
    }

    private static String escape(int codePoint, byte raw) {
        if (codePoint == Utf8.INVALID) {
            return "\\x" + hex(raw & 0xFF, 2);
        }
        if (codePoint < 0x20 || codePoint == 0x7F) {
            return "\\x" + hex(codePoint, 2);
        }
        return codePoint < 0x10000 ? "\\u" + hex(codePoint, 4) : "\\U" + hex(codePoint, 8);
    }

    private static String hex(int value, int digits) {
        String hex = Integer.toHexString(value);
        return "0".repeat(digits - hex.length()) + hex;
    }

    /** Letters, marks, numbers, punctuation, symbols, and the ASCII space. */
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> codePoint == ' ';
            default -> true;
        };
    }
}
