package dev.sallyport.toolkit.template;

/** Code points in bytes that need not be UTF-8: as in Go, a byte that begins none counts as one of its own. */
final class Utf8 {

    /** What a byte that begins no code point counts as. */
    static final int INVALID = -1;

    private Utf8() {}

    /** The code point at an offset, or {@link #INVALID}. */
    static int codePoint(byte[] bytes, int at) {
        int lead = bytes[at] & 0xFF;
        if (lead < 0x80) {
            return lead;
        }
        int more =
                lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xF0 && lead < 0xF5 ? 3 : 0;
        if (more == 0 || at + more >= bytes.length) {
            return INVALID;
        }
        int value = lead & 0x3F >> more;
        for (int i = 1; i <= more; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return INVALID;
            }
            value = value << 6 | (bytes[at + i] & 0x3F);
        }
        boolean overlong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000);
        boolean surrogate = value >= 0xD800 && value <= 0xDFFF;
        return overlong || surrogate || value > Character.MAX_CODE_POINT ? INVALID : value;
    }

    /** How many bytes {@link #codePoint} looked at. */
    static int length(int codePoint) {
        return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    }

    /** The number of code points. */
    static int count(byte[] bytes) {
        int count = 0;
        for (int at = 0; at < bytes.length; at += length(codePoint(bytes, at))) {
            count++;
        }
        return count;
    }

    /** The offset after this many code points. */
    static int offset(byte[] bytes, int codePoints) {
        int at = 0;
        for (int i = 0; i < codePoints && at < bytes.length; i++) {
            at += length(codePoint(bytes, at));
        }
        return at;
    }
}
