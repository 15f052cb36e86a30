package dev.sallyport.toolkit.redact;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The beginning of a text as one notation reads it. */
final class PartReading {

    private final byte[] bytes;
    /** For each byte, the end of it or of its escape in the text. */
    private final int[] ends;

    private final int textLength;

    private PartReading(byte[] bytes, int[] ends, int textLength) {
        this.bytes = bytes;
        this.ends = ends;
        this.textLength = textLength;
    }

    /**
     * Reads.
     *
     * @param escaping the notation; null for none
     * @param skipped the length of the rest of an escape that was cut
     * @param most how many bytes are enough
     */
    static PartReading of(byte[] text, @Nullable Escaping escaping, int skipped, int most) {
        int end = text.length;
        byte[] bytes = new byte[most + Escape.MOST_BYTES];
        int[] ends = new int[bytes.length];
        int count = 0;
        int at = skipped;
        while (at < end && count < most) {
            byte value = text[at];
            int escape = escaping != null && escaping.begins(value) ? escaping.read(text, at, end) : Escape.NONE;
            if (escape == Escape.MORE) {
                break; // an escape that was cut at the end
            }
            if (escape == Escape.NONE) {
                escape = Escape.of(1, value & 0xff);
            }
            at += Escape.length(escape);
            int from = count;
            count += Escape.write(escape, bytes, count);
            Arrays.fill(ends, from, count, at);
        }
        return new PartReading(Arrays.copyOf(bytes, count), ends, end);
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return bytes.length;
    }

    /**
     * The length in the text of a piece of a token from this index on: up to the token's end, or, when all of the text
     * may be a piece, up to the text's. 0 if there is none.
     */
    int pieceLength(byte[] token, int from, boolean whole) {
        int differ = Arrays.mismatch(bytes, 0, bytes.length, token, from, token.length);
        if (differ < 0 || differ == token.length - from) {
            return ends[token.length - from - 1];
        }
        return whole && differ == bytes.length ? textLength : 0;
    }
}
