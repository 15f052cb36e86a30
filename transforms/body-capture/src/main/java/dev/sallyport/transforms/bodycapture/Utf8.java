package dev.sallyport.transforms.bodycapture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Handles bytes that are probably UTF-8 (RFC 3629). Pure functions. */
final class Utf8 {

    private static final char REPLACEMENT = '\uFFFD';
    private static final int LONGEST = 4;

    private Utf8() {}

    /** The length without an incomplete character at the end. */
    static int wholeCharacters(byte[] bytes, int length) {
        int start = length - 1;
        while (start > 0 && length - start < LONGEST && (bytes[start] & 0xC0) == 0x80) {
            start--;
        }
        return start >= 0 && length - start < lengthOf(bytes[start]) ? start : length;
    }

    /** The length of the character that begins with this byte; 1 for a byte that begins none. */
    private static int lengthOf(byte first) {
        if ((first & 0xE0) == 0xC0) {
            return 2;
        }
        if ((first & 0xF0) == 0xE0) {
            return 3;
        }
        return (first & 0xF8) == 0xF0 ? LONGEST : 1;
    }

    /** Whether decoding these bytes to this text replaced nothing. */
    static boolean isExact(String text, byte[] bytes, int length) {
        if (text.indexOf(REPLACEMENT) < 0) {
            return true;
        }
        byte[] again = text.getBytes(StandardCharsets.UTF_8);
        return Arrays.equals(again, 0, again.length, bytes, 0, length);
    }
}
