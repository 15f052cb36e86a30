package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A notation in which escapes stand for characters. Each escape begins with a characteristic byte. */
enum Escaping {

    /** The content of JSON strings (RFC 8259, 7). */
    JSON('\\', '\\', 12, "\"\\/bfnrtu") {
        @Override
        int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
            return JsonEscape.read(text, at, end, decoded);
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            JsonEscape.write(value, out);
        }
    },

    /** Percent-encoding (RFC 3986, 2.1). */
    PERCENT('%', '%', 3, Escaping.HEX_DIGITS) {
        @Override
        int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
            return PercentEscape.read(text, at, end, decoded);
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            PercentEscape.write(value, PercentEscape.UNRESERVED, out);
        }
    },

    /** Percent-encoding as in HTML forms: a plus sign is a space. */
    FORM('%', '+', 3, Escaping.HEX_DIGITS) {
        @Override
        int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
            if (text.at(at) == '+') {
                decoded.set(' ');
                return 1;
            }
            return PercentEscape.read(text, at, end, decoded);
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            PercentEscape.write(value, PercentEscape.UNRESERVED, out);
        }
    },

    /** Character references of HTML and XML. */
    HTML('&', '&', HtmlEscape.MAX_LENGTH, "#algqALGQ") {
        @Override
        int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
            return HtmlEscape.read(text, at, end, decoded);
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            String reference = HtmlEscape.reference(value);
            if (reference.isEmpty()) {
                out.write(value);
            } else {
                out.writeBytes(reference.getBytes(StandardCharsets.US_ASCII));
            }
        }
    },

    /**
     * UTF-16 of text in which each character is one byte, as an escape: a NUL and the next character stand for that
     * character. This covers all characters in big endian, and all but the first in little endian.
     */
    UTF_16('\0', '\0', 2, "") {
        @Override
        int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
            if (at + 1 >= end) {
                return MORE;
            }
            byte value = text.at(at + 1);
            if (value == 0) {
                return NONE;
            }
            decoded.set(value);
            return 2;
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            out.write(0);
            out.write(value);
        }
    };

    private static final String HEX_DIGITS = "0123456789abcdefABCDEF";

    /** Returned by {@link #read}: there is no escape here. */
    static final int NONE = 0;
    /** Returned by {@link #read}: more bytes are needed to decide. */
    static final int MORE = -1;

    private final byte first;
    private final byte second;
    private final int maxLength;

    /** The characters that may follow the first one, as bits: those below 64, and the others. No bit: all but NUL. */
    private final long lowFollowers;

    private final long highFollowers;

    /** @param followers the characters that may follow the first one; empty for all but NUL */
    Escaping(char first, char second, int maxLength, String followers) {
        this.first = (byte) first;
        this.second = (byte) second;
        this.maxLength = maxLength;
        long low = 0;
        long high = 0;
        for (int i = 0; i < followers.length(); i++) {
            long bit = 1L << followers.charAt(i);
            low |= followers.charAt(i) < Long.SIZE ? bit : 0;
            high |= followers.charAt(i) < Long.SIZE ? 0 : bit;
        }
        this.lowFollowers = low;
        this.highFollowers = high;
    }

    /**
     * Reads a possible escape, at a byte with which escapes begin.
     *
     * @param end the end of the bytes that are available
     * @return the escape's length, {@link #NONE} or {@link #MORE}
     */
    abstract int read(LookbackBuffer text, long at, long end, DecodedEscape decoded);

    /** Writes one byte (0..255). */
    abstract void write(int value, ByteArrayOutputStream out);

    byte[] write(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        for (byte value : bytes) {
            write(value & 0xff, out);
        }
        return out.toByteArray();
    }

    /** A byte with which escapes begin. */
    byte first() {
        return first;
    }

    /** The other byte with which escapes begin; may be the same. */
    byte second() {
        return second;
    }

    boolean begins(byte value) {
        return value == first || value == second;
    }

    /** Whether these two bytes may be the beginning of an escape, or the first is one by itself. */
    boolean mayGoOn(byte start, byte next) {
        if ((lowFollowers | highFollowers) == 0) {
            return next != 0;
        }
        long followers = next < 0 ? 0 : next < Long.SIZE ? lowFollowers : highFollowers;
        return start == '+' || (followers >>> next & 1) != 0;
    }

    /** The most bytes that an escape has. */
    int maxLength() {
        return maxLength;
    }

    /** The notation of plain values in a body with this {@code Content-Type}; null when unknown. */
    static @Nullable Escaping of(@Nullable String contentType) {
        if (contentType == null) {
            return null;
        }
        int semicolon = contentType.indexOf(';');
        String type = (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .strip()
                .toLowerCase(Locale.ROOT);
        if (type.endsWith("json") || type.endsWith("/jsonl") || type.endsWith("/json-seq")) {
            return JSON;
        } else if (type.endsWith("/html") || type.endsWith("xml")) {
            return HTML;
        }
        return type.equals("application/x-www-form-urlencoded") ? FORM : null;
    }

    /** The value of a hexadecimal digit, or -1. */
    static int hex(byte digit) {
        if (digit >= '0' && digit <= '9') {
            return digit - '0';
        }
        int letter = digit | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }
}
