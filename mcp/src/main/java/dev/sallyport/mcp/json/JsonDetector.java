package dev.sallyport.mcp.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Tells whether bytes begin like JSON, in any encoding, and after anything that a lenient reader would skip or that a
 * script would evaluate: white space, guards against inclusion as a script, brackets, signs.
 */
public final class JsonDetector {

    private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    private static final List<byte[]> LOOPS = List.of(ascii("while(1);"), ascii("for(;;);"));
    private static final byte[] PUNCTUATION = ascii("()]}',;+-!~");
    private static final List<byte[]> WORDS = List.of(ascii("true"), ascii("false"), ascii("null"));
    private static final byte[] NUMBER = ascii("0123456789.eE+-");

    /** The result for the beginning of a text. */
    public enum Guess {
        /** An object or an array, or a comment before one. */
        JSON,
        /** A string, or nothing but a number, a boolean or null. */
        SCALAR,
        /** Something else. */
        OTHER,
        /** Only characters so far that may precede any of them. */
        BLANK
    }

    private JsonDetector() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The length of the byte order mark of UTF-8 that a text begins with, or 0. */
    static int markLength(byte[] text) {
        return begins(text, 0, text.length, MARK) ? MARK.length : 0;
    }

    /** Looks at bytes in UTF-8, UTF-16 or UTF-32, with or without a byte order mark. */
    public static Guess of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /** Looks at the bytes of a range. */
    public static Guess of(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            int b = bytes[at] & 0xff;
            if (b == '{' || b == '[') {
                return Guess.JSON;
            }
            if (b == '"') {
                return Guess.SCALAR;
            }
            if (b == '/') {
                int next = next(bytes, at + 1, to);
                return next == '/' || next == '*' ? Guess.JSON : Guess.OTHER;
            }
            int skipped = skipped(bytes, at, to);
            skipped = skipped == 0 ? guard(bytes, at, to) : skipped;
            if (skipped == 0) {
                return isScalar(bytes, at, to) ? Guess.SCALAR : Guess.OTHER;
            }
            at += skipped;
        }
        return Guess.BLANK;
    }

    /** The number of bytes here that keep a text from being a script, or that leave the value of an expression. */
    private static int guard(byte[] bytes, int at, int to) {
        for (byte[] loop : LOOPS) {
            if (begins(bytes, at, to, loop)) {
                return loop.length;
            }
        }
        return contains(PUNCTUATION, bytes[at]) ? 1 : 0;
    }

    private static boolean isScalar(byte[] bytes, int from, int to) {
        int at = from;
        for (byte[] word : WORDS) {
            if (begins(bytes, from, to, word)) {
                at += word.length;
                break;
            }
        }
        while (at < to && contains(NUMBER, bytes[at])) {
            at++;
        }
        if (at == from) {
            return false;
        }
        for (int skipped = 1; at < to && skipped > 0; at += skipped) {
            skipped = skipped(bytes, at, to);
        }
        return at >= to;
    }

    private static boolean begins(byte[] bytes, int at, int to, byte[] text) {
        return to - at >= text.length && Arrays.equals(bytes, at, at + text.length, text, 0, text.length);
    }

    private static boolean contains(byte[] set, byte b) {
        for (byte one : set) {
            if (one == b) {
                return true;
            }
        }
        return false;
    }

    /** The next byte that is not the empty half of a wider character. */
    private static int next(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] == 0) {
            at++;
        }
        return at < to ? bytes[at] : -1;
    }

    /** The number of bytes of white space or of a mark here. */
    private static int skipped(byte[] bytes, int at, int to) {
        int b = bytes[at] & 0xff;
        int second = at + 1 < to ? bytes[at + 1] & 0xff : -1;
        int third = at + 2 < to ? bytes[at + 2] & 0xff : -1;
        if (b <= 0x20 || b == 0xfe || b == 0xff || b == 0x7f || b == 0x85 || b == 0xa0) {
            return 1;
        }
        if (b == 0xc2 && (second == 0x85 || second == 0xa0)) {
            return 2;
        }
        boolean mark = b == 0xef && second == 0xbb && third == 0xbf;
        boolean space = (b == 0xe2 && second == 0x80 && third >= 0x80 && third <= 0xaf)
                || (b == 0xe2 && second == 0x81)
                || (b == 0xe1 && second == 0x9a && third == 0x80)
                || (b == 0xe3 && second == 0x80 && third == 0x80);
        return mark || space ? 3 : 0;
    }
}
