package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.TokenMatcher;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A notation in which escapes stand for characters. Each escape begins with a characteristic byte. */
enum Escaping {

    /** The content of JSON strings (RFC 8259, 7). */
    JSON(1, '\\', '\\', 12, "\"\\/bfnrtu") {
        @Override
        int skip(byte[] text, int from, int end, boolean[] wanted) {
            return JsonEscape.skip(text, from, end, wanted);
        }

        @Override
        void write(int value, ByteArrayOutputStream out) {
            JsonEscape.write(value, out);
        }
    },

    /** Percent-encoding (RFC 3986, 2.1). */
    PERCENT(2, '%', '%', 3, Escaping.HEX_DIGITS) {
        @Override
        void write(int value, ByteArrayOutputStream out) {
            PercentEscape.write(value, PercentEscape.UNRESERVED, out);
        }
    },

    /** Percent-encoding as in HTML forms: a plus sign is a space. */
    FORM(4, '%', '+', 3, Escaping.HEX_DIGITS) {
        @Override
        void write(int value, ByteArrayOutputStream out) {
            PercentEscape.write(value, PercentEscape.UNRESERVED, out);
        }
    },

    /** Character references of HTML and XML. */
    HTML(8, '&', '&', HtmlEscape.MAX_LENGTH, "#algqALGQ") {
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
    UTF_16(16, '\0', '\0', 2, "") {
        @Override
        void write(int value, ByteArrayOutputStream out) {
            out.write(0);
            out.write(value);
        }
    };

    private static final String HEX_DIGITS = "0123456789abcdefABCDEF";
    private static final byte[] HEX_VALUES = hexValues();

    /** The bit for escapes of one byte. */
    private static final int ALONE = 1 << 5;

    /** The bit for the others. */
    private final int bit;

    private final byte first;
    private final byte second;
    private final int maxLength;

    /** The characters that may follow the first one; empty for all but NUL. */
    private final String followers;

    Escaping(int bit, char first, char second, int maxLength, String followers) {
        this.bit = bit;
        this.first = (byte) first;
        this.second = (byte) second;
        this.maxLength = maxLength;
        this.followers = followers;
    }

    /**
     * Reads a possible escape, at the index of a byte with which escapes begin.
     *
     * @param end the end of the bytes that are available
     * @return the {@link Escape}
     */
    int read(byte[] text, int at, int end) {
        // No method of each constant: this is called for each escape, and compiled into its callers.
        return switch (this) {
            case JSON -> JsonEscape.read(text, at, end);
            case PERCENT -> PercentEscape.read(text, at, end);
            case FORM -> text[at] == '+' ? Escape.of(1, ' ') : PercentEscape.read(text, at, end);
            case HTML -> HtmlEscape.read(text, at, end);
            case UTF_16 -> readPair(text, at, end);
        };
    }

    private static int readPair(byte[] text, int at, int end) {
        if (at + 1 >= end) {
            return Escape.MORE;
        }
        byte value = text[at + 1];
        return value == 0 ? Escape.NONE : Escape.of(2, value & 0xff);
    }

    /**
     * Skips escapes that stand one right after the other for bytes that are not wanted, where texts may be full of these.
     *
     * @param wanted for each byte, whether it is
     * @return the index behind the last one
     */
    int skip(byte[] text, int from, int end, boolean[] wanted) {
        return from;
    }

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

    /**
     * This notation in a set of notations: a bit for its escapes, and where there are some of one byte alone, another one for
     * these.
     */
    int bits() {
        return bit | (first == second ? 0 : ALONE);
    }

    /** Those of the bits whose escapes begin with this byte. */
    int beginsWith(byte value) {
        if (value == first) {
            return bit;
        }
        return value == second ? ALONE : 0;
    }

    /**
     * Those of the bits whose escapes may go on with this byte, or end before it.
     *
     * @param wanted for each byte, whether it is
     */
    int goesOnWith(byte next, boolean[] wanted) {
        boolean mayGoOn = followers.isEmpty() ? next != 0 : followers.indexOf(next & 0xff) >= 0;
        return ALONE | (mayGoOn && !isInVain(next, wanted) ? bit : 0);
    }

    /**
     * Whether escapes that go on with this byte have two bytes, of which none is wanted, and stand for one that is not: nothing
     * that is wanted goes on over such, whether it is decoded or not, and what was cut off ends before either. Not where the
     * byte may be the beginning of an escape.
     */
    private boolean isInVain(byte next, boolean[] wanted) {
        int meaning = switch (this) {
            case JSON -> JsonEscape.meaning(next);
            case UTF_16 -> next & 0xff;
            case PERCENT, FORM, HTML -> 0;
        };
        return meaning != 0
                && !TokenMatcher.isAlphanumeric(meaning)
                && !begins(next)
                && !wanted[first]
                && !wanted[next & 0xff]
                && !wanted[meaning];
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
        return HEX_VALUES[digit & 0xff];
    }

    private static byte[] hexValues() {
        byte[] values = new byte[256];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (HEX_DIGITS.indexOf(i) < 0 ? -1 : Character.digit(i, 16));
        }
        return values;
    }
}
