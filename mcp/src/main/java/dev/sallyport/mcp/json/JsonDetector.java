package dev.sallyport.mcp.json;

/** Tells whether bytes begin like JSON, in any encoding and after anything that a lenient reader would skip. */
public final class JsonDetector {

    /** The result for the beginning of a text. */
    public enum Guess {
        /** An object or an array, or a comment before one. */
        JSON,
        /** Something else. */
        OTHER,
        /** Only characters so far that may precede either. */
        BLANK
    }

    private JsonDetector() {}

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
            if (b == '/') {
                int next = next(bytes, at + 1, to);
                return next == '/' || next == '*' ? Guess.JSON : Guess.OTHER;
            }
            int skipped = skipped(bytes, at, to);
            if (skipped == 0) {
                return Guess.OTHER;
            }
            at += skipped;
        }
        return Guess.BLANK;
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
