package dev.sallyport.mcp.json;

/** The characters of UTF-8, as RFC 3629 forms them: each in its shortest form, and no surrogates. */
final class Utf8 {

    /** In place of a length. */
    static final int MALFORMED = 0;

    private Utf8() {}

    /** The length in bytes of the character beyond ASCII that begins at this place; {@link #MALFORMED} when none does. */
    static int length(byte[] in, int at, int limit) {
        int b = in[at] & 0xff;
        int length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
        if (b < 0xc2 || b > 0xf4 || at + length > limit) {
            return MALFORMED;
        }
        int second = in[at + 1] & 0xff;
        int least = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
        int most = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
        boolean wellFormed = second >= least && second <= most;
        for (int i = 2; i < length; i++) {
            wellFormed &= (in[at + i] & 0xc0) == 0x80;
        }
        return wellFormed ? length : MALFORMED;
    }
}
