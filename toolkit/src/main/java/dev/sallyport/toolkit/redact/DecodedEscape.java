package dev.sallyport.toolkit.redact;

/** The bytes of one escape, up to four. Reusable. */
final class DecodedEscape {

    final byte[] bytes = new byte[4];
    int count;

    void set(int value) {
        bytes[0] = (byte) value;
        count = 1;
    }

    /** Sets the UTF-8 form of a code point that is not a surrogate. */
    void setCodePoint(int point) {
        if (point < 0x80) {
            set(point);
        } else if (point < 0x800) {
            lead(0xC0 | (point >> 6), 2, point);
        } else if (point < 0x10000) {
            lead(0xE0 | (point >> 12), 3, point);
        } else {
            lead(0xF0 | (point >> 18), 4, point);
        }
    }

    private void lead(int first, int length, int point) {
        bytes[0] = (byte) first;
        for (int i = 1; i < length; i++) {
            bytes[i] = (byte) (0x80 | ((point >> (6 * (length - 1 - i))) & 0x3F));
        }
        count = length;
    }
}
