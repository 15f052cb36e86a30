package dev.sallyport.core.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Appends JSON (RFC 8259) in UTF-8 to a growing array. Every string gives valid JSON and valid UTF-8: control
 * characters are escaped, and a surrogate without its partner becomes U+FFFD. Not thread-safe.
 */
final class JsonBuffer {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static final char REPLACEMENT = (char) 0xFFFD;

    /** Strings are appended in pieces, so that a long one needs no extra room. */
    private static final int CHUNK = 4096;

    /** The beginning of an escaped control character; four digits follow. */
    private static final int MAX_BYTES_A_CHAR = 6;

    /** The escape of each ASCII character: 0 for none, 1 for a number, otherwise the letter after the backslash. */
    private static final byte[] ESCAPES = escapes();

    private static final int MAX_LONG_DIGITS = 20;

    private byte[] bytes;
    private int size;

    JsonBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    int size() {
        return size;
    }

    int capacity() {
        return bytes.length;
    }

    /** Truncates to an earlier size. */
    void truncate(int newSize) {
        size = newSize;
    }

    /** Empties the buffer, and releases an array that one large record has enlarged. */
    void reset(int keep) {
        size = 0;
        if (bytes.length > keep) {
            bytes = new byte[keep];
        }
    }

    /** A view of what has been appended; valid until the next change. */
    ByteBuffer view() {
        return ByteBuffer.wrap(bytes, 0, size);
    }

    /** What has been appended, and what not: up to {@link #size}. Another array after the next change. */
    byte[] array() {
        return bytes;
    }

    /** Appends bytes as lower-case hex digits. */
    JsonBuffer hex(byte[] value) {
        reserve(2 * value.length);
        for (byte octet : value) {
            bytes[size++] = HEX[(octet >> 4) & 0xF];
            bytes[size++] = HEX[octet & 0xF];
        }
        return this;
    }

    /** Appends ASCII as it is. */
    JsonBuffer raw(byte[] ascii) {
        reserve(ascii.length);
        System.arraycopy(ascii, 0, bytes, size, ascii.length);
        size += ascii.length;
        return this;
    }

    JsonBuffer raw(char ascii) {
        reserve(1);
        bytes[size++] = (byte) ascii;
        return this;
    }

    JsonBuffer number(long value) {
        reserve(MAX_LONG_DIGITS);
        if (value == Long.MIN_VALUE) {
            return raw("-9223372036854775808".getBytes(StandardCharsets.US_ASCII));
        }
        long rest = value;
        if (rest < 0) {
            bytes[size++] = '-';
            rest = -rest;
        }
        int digits = 1;
        for (long bound = rest; bound >= 10; bound /= 10) {
            digits++;
        }
        for (int at = size + digits - 1; at >= size; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += digits;
        return this;
    }

    /** A non-negative number with leading zeros. */
    JsonBuffer padded(int value, int digits) {
        reserve(digits);
        int rest = value;
        for (int at = size + digits - 1; at >= size; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += digits;
        return this;
    }

    JsonBuffer string(String text) {
        raw('"');
        int length = text.length();
        for (int from = 0; from < length; ) {
            int to = Math.min(from + CHUNK, length);
            // A pair of surrogates stays in one chunk.
            if (to < length && Character.isSurrogatePair(text.charAt(to - 1), text.charAt(to))) {
                to++;
            }
            characters(text, from, to);
            from = to;
        }
        return raw('"');
    }

    private void characters(String text, int from, int end) {
        reserve(MAX_BYTES_A_CHAR * (end - from));
        byte[] out = bytes;
        int to = size;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                byte escape = ESCAPES[c];
                if (escape == 0) {
                    out[to++] = (byte) c;
                } else {
                    to = escape(out, to, c, escape);
                }
            } else if (c < 0x800) {
                out[to++] = (byte) (0xC0 | (c >> 6));
                out[to++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                to = threeBytes(out, to, c);
            } else if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1))) {
                to = fourBytes(out, to, Character.toCodePoint(c, text.charAt(++i)));
            } else {
                to = threeBytes(out, to, REPLACEMENT);
            }
        }
        size = to;
    }

    private static int escape(byte[] out, int at, char c, byte escape) {
        int to = at;
        out[to++] = '\\';
        if (escape != 1) {
            out[to++] = escape;
            return to;
        }
        out[to++] = 'u';
        out[to++] = '0';
        out[to++] = '0';
        out[to++] = HEX[c >> 4];
        out[to++] = HEX[c & 0xF];
        return to;
    }

    private static int threeBytes(byte[] out, int to, char c) {
        out[to] = (byte) (0xE0 | (c >> 12));
        out[to + 1] = (byte) (0x80 | ((c >> 6) & 0x3F));
        out[to + 2] = (byte) (0x80 | (c & 0x3F));
        return to + 3;
    }

    private static int fourBytes(byte[] out, int to, int codePoint) {
        out[to] = (byte) (0xF0 | (codePoint >> 18));
        out[to + 1] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
        out[to + 2] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
        out[to + 3] = (byte) (0x80 | (codePoint & 0x3F));
        return to + 4;
    }

    private void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8)));
        }
    }

    private static byte[] escapes() {
        byte[] escapes = new byte[0x80];
        Arrays.fill(escapes, 0, 0x20, (byte) 1);
        escapes[0x7F] = 1;
        escapes['"'] = '"';
        escapes['\\'] = '\\';
        escapes['\b'] = 'b';
        escapes['\f'] = 'f';
        escapes['\n'] = 'n';
        escapes['\r'] = 'r';
        escapes['\t'] = 't';
        return escapes;
    }
}
