package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Character references that end in a semicolon (HTML, 13.5; XML, 4.1): numbers, and the names that escape markup. */
final class HtmlEscape {

    /** Longer references, which have many leading zeros, are not decoded. */
    static final int MAX_LENGTH = 24;

    private static final String[] NAMES = {"amp;", "lt;", "gt;", "quot;", "apos;"};
    private static final String MEANINGS = "&<>\"'";

    /** The quotes as common encoders write them: PHP and most of Java; Go; Python; XML. */
    enum Quotes {
        MOST("&quot;", "&#39;"),
        GO("&#34;", "&#39;"),
        PYTHON("&quot;", "&#x27;"),
        XML("&quot;", "&apos;");

        private final String twofold;
        private final String single;

        Quotes(String twofold, String single) {
            this.twofold = twofold;
            this.single = single;
        }
    }

    private HtmlEscape() {}

    /** The forms that common encoders write. */
    static byte[] write(byte[] bytes, Quotes quotes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        for (byte value : bytes) {
            String reference = switch (value) {
                case '"' -> quotes.twofold;
                case '\'' -> quotes.single;
                default -> reference(value);
            };
            if (reference.isEmpty()) {
                out.write(value);
            } else {
                out.writeBytes(reference.getBytes(StandardCharsets.US_ASCII));
            }
        }
        return out.toByteArray();
    }

    static int read(byte[] text, int at, int end) {
        if (at + 1 >= end) {
            return Escape.MORE;
        }
        return text[at + 1] == '#' ? number(text, at, end) : name(text, at, end);
    }

    private static int name(byte[] text, int at, int end) {
        int result = Escape.NONE;
        for (int i = 0; i < NAMES.length; i++) {
            int length = begins(text, at + 1, end, NAMES[i]);
            if (length == NAMES[i].length()) {
                return Escape.of(1 + length, MEANINGS.charAt(i));
            } else if (length < 0) {
                result = Escape.MORE;
            }
        }
        return result;
    }

    /** The length of the word if it is here, MORE if only its beginning is available, otherwise NONE. */
    private static int begins(byte[] text, int at, int end, String word) {
        for (int i = 0; i < word.length(); i++) {
            if (at + i >= end) {
                return Escape.MORE;
            }
            char expected = word.charAt(i);
            int found = text[at + i];
            if ((expected == ';' ? found : found | 0x20) != expected) {
                return Escape.NONE;
            }
        }
        return word.length();
    }

    private static int number(byte[] text, int at, int end) {
        int i = at + 2;
        if (i >= end) {
            return Escape.MORE;
        }
        boolean hexadecimal = (text[i] | 0x20) == 'x';
        int digits = hexadecimal ? i + 1 : i;
        int point = 0;
        for (i = digits; i < at + MAX_LENGTH; i++) {
            if (i >= end) {
                return Escape.MORE;
            }
            byte c = text[i];
            if (c == ';') {
                return i == digits ? Escape.NONE : finish(point, i + 1 - at);
            }
            int digit = Escaping.hex(c);
            if (digit < 0 || (!hexadecimal && digit > 9)) {
                return Escape.NONE;
            }
            point = point * (hexadecimal ? 16 : 10) + digit;
            if (point > Character.MAX_CODE_POINT) {
                return Escape.NONE;
            }
        }
        return Escape.NONE;
    }

    private static int finish(int point, int length) {
        if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
            return Escape.NONE;
        }
        return Escape.ofCodePoint(length, point);
    }

    /** The escape of a byte in text and in quoted attributes; empty for none. */
    static String reference(int value) {
        return switch (value) {
            case '&' -> "&amp;";
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            case '"' -> "&quot;";
            case '\'' -> "&#39;";
            default -> "";
        };
    }
}
