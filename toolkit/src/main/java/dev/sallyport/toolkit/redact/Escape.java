package dev.sallyport.toolkit.redact;

/** An escape that was read, as one number: how long it is, and for what it stands. {@link #NONE} and {@link #MORE} are none. */
final class Escape {

    /** There is no escape here. */
    static final int NONE = 0;

    /** More bytes are needed to decide. */
    static final int MORE = -1;

    /** The most bytes that an escape stands for. */
    static final int MOST_BYTES = 4;

    /** Numbers below this one are bytes; others are code points, to which it was added. */
    private static final int CODE_POINTS = 0x100;

    private static final int LENGTH = 24;
    private static final int MEANING = (1 << LENGTH) - 1;
    private static final int FIRST_OF_TWO = 0x80;
    private static final int FIRST_OF_THREE = 0x800;
    private static final int FIRST_OF_FOUR = 0x10000;

    private Escape() {}

    /**
     * An escape that stands for a byte.
     *
     * @param value 0..255
     */
    static int of(int length, int value) {
        return (length << LENGTH) | value;
    }

    /** An escape that stands for the UTF-8 form of a code point, which is no surrogate. */
    static int ofCodePoint(int length, int point) {
        return of(length, point < FIRST_OF_TWO ? point : CODE_POINTS + point);
    }

    static int length(int escape) {
        return escape >> LENGTH;
    }

    /** Whether it stands for one byte. */
    static boolean isByte(int escape) {
        return (escape & MEANING) < CODE_POINTS;
    }

    /** The byte for which it stands; only where it is one. */
    static byte toByte(int escape) {
        return (byte) escape;
    }

    /**
     * Writes the bytes for which it stands.
     *
     * @return how many they are
     */
    static int write(int escape, byte[] out, int at) {
        if (isByte(escape)) {
            out[at] = toByte(escape);
            return 1;
        }
        int point = (escape & MEANING) - CODE_POINTS;
        if (point < FIRST_OF_THREE) {
            return write(0xC0 | (point >> 6), 2, point, out, at);
        } else if (point < FIRST_OF_FOUR) {
            return write(0xE0 | (point >> 12), 3, point, out, at);
        }
        return write(0xF0 | (point >> 18), MOST_BYTES, point, out, at);
    }

    private static int write(int first, int length, int point, byte[] out, int at) {
        out[at] = (byte) first;
        for (int i = 1; i < length; i++) {
            out[at + i] = (byte) (0x80 | ((point >> (6 * (length - 1 - i))) & 0x3F));
        }
        return length;
    }
}
