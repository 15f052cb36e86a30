package dev.sallyport.core.http;

/** Comma-separated token lists (RFC 9110, 5.6.1). */
public final class Tokens {

    /** A bit for each character of a token below 0x40, and from there to 0x7F. */
    private static final long LOW = bits("!#$%&'*+-.0123456789", 0);

    private static final long HIGH = bits("ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~", 0x40);

    private Tokens() {}

    private static long bits(String characters, int from) {
        long bits = 0;
        for (int i = 0; i < characters.length(); i++) {
            bits |= 1L << (characters.charAt(i) - from);
        }
        return bits;
    }

    /** Whether the list has this token, ignoring case. Allocates nothing. */
    public static boolean contains(String list, String token) {
        int length = list.length();
        int from = 0;
        while (from < length) {
            int comma = list.indexOf(',', from);
            int to = comma < 0 ? length : comma;
            int start = from;
            int end = to;
            while (start < end && isSpace(list.charAt(start))) {
                start++;
            }
            while (end > start && isSpace(list.charAt(end - 1))) {
                end--;
            }
            if (end - start == token.length() && list.regionMatches(true, start, token, 0, token.length())) {
                return true;
            }
            from = to + 1;
        }
        return false;
    }

    /** Whether the text is a token (RFC 9110, 5.6.2): a method or field name. */
    public static boolean isToken(String text) {
        if (text.isEmpty()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isTokenChar(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isTokenChar(char c) {
        return c < 0x80 && ((c < 0x40 ? LOW : HIGH) & 1L << c) != 0;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
