package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Escapes in JSON strings (RFC 8259, 7). */
final class JsonEscape {

    private static final String LETTERS = "\"\\bfnrt";
    private static final String MEANINGS = "\"\\\b\f\n\r\t";
    /** For each character of ASCII, what it stands for behind a backslash; 0 for nothing. */
    private static final byte[] MEANING_OF = new byte[128];

    static {
        MEANING_OF['/'] = '/';
        for (int i = 0; i < LETTERS.length(); i++) {
            MEANING_OF[LETTERS.charAt(i)] = (byte) MEANINGS.charAt(i);
        }
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Four escapes of a backslash. */
    private static final long BACKSLASHES = 0x5C5C5C5C5C5C5C5CL;

    private static final int SHORT = 2;
    private static final int UNICODE = 6;
    private static final int INVALID = -2;

    private JsonEscape() {}

    static int read(byte[] text, int at, int end) {
        if (at + 1 >= end) {
            return Escape.MORE;
        }
        byte kind = text[at + 1];
        if (kind == 'u') {
            return unicode(text, at, end);
        }
        int meaning = meaning(kind);
        return meaning == 0 ? Escape.NONE : Escape.of(SHORT, meaning);
    }

    /** What a backslash and this byte stand for; 0 for nothing, and where further bytes tell it. */
    static int meaning(byte kind) {
        return kind < 0 ? 0 : MEANING_OF[kind];
    }

    /**
     * Skips short escapes, one right after the other, of characters that are not wanted. JSON in JSON in JSON is full of them.
     *
     * @param wanted for each byte, whether it is
     * @return the index behind the last one
     */
    static int skip(byte[] text, int from, int end, boolean[] wanted) {
        int at = from;
        if (!wanted['\\']) {
            while (at + Long.BYTES <= end && (long) LONGS.get(text, at) == BACKSLASHES) {
                at += Long.BYTES;
            }
        }
        while (at + 1 < end && text[at] == '\\') {
            int meaning = meaning(text[at + 1]);
            if (meaning == 0 || wanted[meaning]) {
                return at;
            }
            at += SHORT;
        }
        return at;
    }

    private static int unicode(byte[] text, int at, int end) {
        int code = code(text, at, end);
        if (code < 0) {
            return result(code);
        }
        if (!Character.isSurrogate((char) code)) {
            return Escape.ofCodePoint(UNICODE, code);
        }
        if (Character.isLowSurrogate((char) code)) {
            return Escape.NONE;
        }
        int low = code(text, at + UNICODE, end);
        if (low < 0 || !Character.isLowSurrogate((char) low)) {
            return low < 0 ? result(low) : Escape.NONE;
        }
        return Escape.ofCodePoint(2 * UNICODE, Character.toCodePoint((char) code, (char) low));
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
    private static int code(byte[] text, int at, int end) {
        int code = 0;
        for (int i = 0; i < UNICODE; i++) {
            if (at + i >= end) {
                return Escape.MORE;
            }
            byte c = text[at + i];
            int digit = i == 0 ? (c == '\\' ? 0 : -1) : i == 1 ? (c == 'u' ? 0 : -1) : Escaping.hex(c);
            if (digit < 0) {
                return INVALID;
            }
            code = (code << 4) | digit;
        }
        return code;
    }

    private static int result(int negative) {
        return negative == Escape.MORE ? Escape.MORE : Escape.NONE;
    }
}
