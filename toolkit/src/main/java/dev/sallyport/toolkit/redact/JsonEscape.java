package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Escapes in JSON strings (RFC 8259, 7). */
final class JsonEscape {

    private static final String LETTERS = "\"\\bfnrt";
    private static final String MEANINGS = "\"\\\b\f\n\r\t";
    private static final int SHORT = 2;
    private static final int UNICODE = 6;
    private static final int INVALID = -2;

    private JsonEscape() {}

    static int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
        if (at + 1 >= end) {
            return Escaping.MORE;
        }
        byte kind = text.at(at + 1);
        if (kind == 'u') {
            return unicode(text, at, end, decoded);
        }
        int known = LETTERS.indexOf(kind);
        if (known < 0 && kind != '/') {
            return Escaping.NONE;
        }
        decoded.set(known < 0 ? '/' : MEANINGS.charAt(known));
        return SHORT;
    }

    private static int unicode(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
        int code = code(text, at, end);
        if (code < 0) {
            return result(code);
        }
        if (!Character.isSurrogate((char) code)) {
            decoded.setCodePoint(code);
            return UNICODE;
        }
        if (Character.isLowSurrogate((char) code)) {
            return Escaping.NONE;
        }
        int low = code(text, at + UNICODE, end);
        if (low < 0 || !Character.isLowSurrogate((char) low)) {
            return low < 0 ? result(low) : Escaping.NONE;
        }
        decoded.setCodePoint(Character.toCodePoint((char) code, (char) low));
        return 2 * UNICODE;
    }

    static void write(int value, ByteArrayOutputStream out) {
        int known = MEANINGS.indexOf(value);
        if (known >= 0) {
            out.write('\\');
            out.write(LETTERS.charAt(known));
        } else if (value < ' ') {
            out.writeBytes(String.format("\\u%04x", value).getBytes(StandardCharsets.US_ASCII));
        } else {
            out.write(value);
        }
    }

    /** The UTF-16 unit of the escape here, or a negative number. */
    private static int code(LookbackBuffer text, long at, long end) {
        int code = 0;
        for (int i = 0; i < UNICODE; i++) {
            if (at + i >= end) {
                return Escaping.MORE;
            }
            byte c = text.at(at + i);
            int digit = i == 0 ? (c == '\\' ? 0 : -1) : i == 1 ? (c == 'u' ? 0 : -1) : Escaping.hex(c);
            if (digit < 0) {
                return INVALID;
            }
            code = (code << 4) | digit;
        }
        return code;
    }

    private static int result(int negative) {
        return negative == Escaping.MORE ? Escaping.MORE : Escaping.NONE;
    }
}
