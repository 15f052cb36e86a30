package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/**
 * Collects the header of a frame (RFC 8878, 3.1.1.1) and refuses windows beyond the limit before they are allocated.
 */
final class ZstdFrameHeader {

    /** The window that a receiver must support for this content coding (RFC 9659). */
    static final long MAX_WINDOW = 8 << 20;

    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A5;
    private static final int MAX_LENGTH = 18;
    private static final int[] DICTIONARY_ID_LENGTH = {0, 1, 2, 4};

    private final byte[] bytes = new byte[MAX_LENGTH];
    private int length;
    private boolean further;

    boolean isEmpty() {
        return length == 0;
    }

    /** Gets ready for a further frame. */
    void next() {
        length = 0;
        further = true;
    }

    /** The fault when the body ends within this header. */
    CodingException incomplete() {
        return further && length < 4 ? CodingException.trailing(Coding.ZSTD) : CodingException.truncated(Coding.ZSTD);
    }

    /** The bytes collected so far. */
    ByteBuffer bytes() {
        return ByteBuffer.wrap(bytes, 0, length);
    }

    /** Takes bytes until the header is complete; true when it is. */
    boolean take(ByteBuffer in) {
        while (in.hasRemaining()) {
            if (length == needed()) {
                break;
            }
            bytes[length++] = in.get();
        }
        if (length < needed()) {
            return false;
        }
        long window = window();
        if (window < 0 || window > MAX_WINDOW) {
            throw new CodingException(
                    CodingException.Reason.TOO_LARGE, "zstd: window too large (expected: at most 8 MiB)");
        }
        return true;
    }

    /** How many bytes are needed to know the window, as far as the collected ones tell. */
    private int needed() {
        if (length < 5) {
            return length == 4 && isSkippable() ? 4 : 5;
        }
        if (isSkippable()) {
            return 4;
        }
        int descriptor = bytes[4];
        return singleSegment() ? 5 + DICTIONARY_ID_LENGTH[descriptor & 3] + contentSizeLength() : 6;
    }

    private long window() {
        if (length == 4) {
            return 0;
        }
        if (!singleSegment()) {
            int exponent = (bytes[5] & 0xff) >>> 3;
            long base = 1L << (10 + exponent);
            return base + (base >>> 3) * (bytes[5] & 7);
        }
        int at = 5 + DICTIONARY_ID_LENGTH[bytes[4] & 3];
        long size = little(at, contentSizeLength());
        return contentSizeLength() == 2 ? size + 256 : size;
    }

    /** Whether it is the header of a skippable frame (RFC 8878, 3.1.2). Once the magic number is there. */
    boolean isSkippable() {
        return (int) little(0, 4) >>> 4 == SKIPPABLE_MAGIC;
    }

    private boolean singleSegment() {
        requireMagic();
        return (bytes[4] & 0x20) != 0;
    }

    private int contentSizeLength() {
        return 1 << ((bytes[4] & 0xff) >>> 6);
    }

    private void requireMagic() {
        if ((int) little(0, 4) != MAGIC) {
            throw further
                    ? CodingException.trailing(Coding.ZSTD)
                    : CodingException.corrupt(Coding.ZSTD, "not a zstd frame");
        }
    }

    private long little(int from, int count) {
        long value = 0;
        for (int i = count - 1; i >= 0; i--) {
            value = value << 8 | (bytes[from + i] & 0xff);
        }
        return value;
    }
}
