package dev.sallyport.toolkit.headers;

/**
 * The grammar of field names and methods (RFC 9110, 5.1, 9.1), field values (5.5), lengths (8.6) and the characters of
 * a request target. Pure functions; only {@link #trim} allocates. Strings hold one octet in each character (ISO 8859-1).
 */
public final class FieldSyntax {

    /** Returned by {@link #length} for text that is not a length. */
    public static final long INVALID_LENGTH = -1;

    /** Longer numbers could overflow; nobody sends an exabyte. */
    private static final int MOST_DIGITS = 18;

    /** A bit for each token character below 0x40, and for those from 0x40 to 0x7F. */
    private static final long TOKEN_LOW = bits("!#$%&'*+-.0123456789", 0);

    private static final long TOKEN_HIGH = bits("ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~", 0x40);

    private FieldSyntax() {}

    private static long bits(String characters, int from) {
        long bits = 0;
        for (int i = 0; i < characters.length(); i++) {
            bits |= 1L << (characters.charAt(i) - from);
        }
        return bits;
    }

    /** Whether the text is a token (RFC 9110, 5.6.2): a method or a field name. */
    public static boolean isToken(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isTokenCharacter(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether a character may stand in a token. */
    public static boolean isTokenCharacter(char c) {
        return c < 0x80 && ((c < 0x40 ? TOKEN_LOW : TOKEN_HIGH) & 1L << c) != 0;
    }

    /** Whether the text is a field name as HTTP/2 has them: a token without upper-case letters (RFC 9113, 8.2.1). */
    public static boolean isLowerCaseName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isTokenCharacter(c) || (c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    /**
     * Whether the text is a field value (RFC 9110, 5.5): horizontal tab, space, visible ASCII and obs-text. Applies to
     * requests of clients and to everything that the proxy or a transform makes.
     */
    public static boolean isValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F || c > 0xFF) {
                return false;
            }
        }
        return true;
    }

    /** Whether a value has no white space at either end, which HTTP/2 forbids (RFC 9113, 8.2.1). */
    public static boolean isTrimmed(String value) {
        int length = value.length();
        return length == 0 || !(isSpace(value.charAt(0)) || isSpace(value.charAt(length - 1)));
    }

    /** The value without white space at its ends. */
    public static String trim(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isSpace(value.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    /**
     * Whether a value can be forwarded without changing its meaning. RFC 9110, 5.5 requires recipients to refuse CR, LF
     * and NUL and lets them accept other control characters, which some origins send. Characters that are not octets
     * are refused too.
     */
    public static boolean isTransmissible(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\r' || c == '\n' || c == 0 || c > 0xFF) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the text can stand in a request target: no white space, control or wide character.
     *
     * @param excluded further characters that it must not contain
     */
    public static boolean isTargetText(String text, String excluded) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c == 0x7F || c > 0xFF || excluded.indexOf(c) >= 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The number of bytes that a {@code Content-Length} states, or {@link #INVALID_LENGTH}: 1 to 18 digits of ASCII.
     */
    public static long length(String digits) {
        if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
            return INVALID_LENGTH;
        }
        long length = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                return INVALID_LENGTH;
            }
            length = length * 10 + (c - '0');
        }
        return length;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
