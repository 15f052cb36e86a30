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

    static int read(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
        if (at + 1 >= end) {
            return Escaping.MORE;
        }
        return text.at(at + 1) == '#' ? number(text, at, end, decoded) : name(text, at, end, decoded);
    }

    private static int name(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
        int result = Escaping.NONE;
        for (int i = 0; i < NAMES.length; i++) {
            int length = begins(text, at + 1, end, NAMES[i]);
            if (length == NAMES[i].length()) {
                decoded.set(MEANINGS.charAt(i));
                return 1 + length;
            } else if (length < 0) {
                result = Escaping.MORE;
            }
        }
        return result;
    }

    /** The length of the word if it is here, MORE if only its beginning is available, otherwise NONE. */
    private static int begins(LookbackBuffer text, long at, long end, String word) {
        for (int i = 0; i < word.length(); i++) {
            if (at + i >= end) {
                return Escaping.MORE;
            }
            char expected = word.charAt(i);
            int found = text.at(at + i);
            if ((expected == ';' ? found : found | 0x20) != expected) {
                return Escaping.NONE;
            }
        }
        return word.length();
    }

    private static int number(LookbackBuffer text, long at, long end, DecodedEscape decoded) {
        long i = at + 2;
        if (i >= end) {
            return Escaping.MORE;
        }
        boolean hexadecimal = (text.at(i) | 0x20) == 'x';
        long digits = hexadecimal ? i + 1 : i;
        int point = 0;
        for (i = digits; i < at + MAX_LENGTH; i++) {
            if (i >= end) {
                return Escaping.MORE;
            }
            byte c = text.at(i);
            if (c == ';') {
                return i == digits ? Escaping.NONE : finish(point, (int) (i + 1 - at), decoded);
            }
            int digit = Escaping.hex(c);
            if (digit < 0 || (!hexadecimal && digit > 9)) {
                return Escaping.NONE;
            }
            point = point * (hexadecimal ? 16 : 10) + digit;
            if (point > Character.MAX_CODE_POINT) {
                return Escaping.NONE;
            }
        }
        return Escaping.NONE;
    }

    private static int finish(int point, int length, DecodedEscape decoded) {
        if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
            return Escaping.NONE;
        }
        decoded.setCodePoint(point);
        return length;
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
