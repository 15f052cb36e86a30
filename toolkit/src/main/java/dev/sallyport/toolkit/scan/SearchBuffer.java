package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * Memory for one search in a text, borrowed from the thread and returned within the same call. A nested call gets its
 * own.
 */
final class SearchBuffer {

    private static final int KEPT_LENGTH = 64 * 1024;
    private static final int KEPT = 4;
    private static final ThreadLocal<ArrayDeque<SearchBuffer>> FREE = ThreadLocal.withInitial(ArrayDeque::new);

    final Match match = new Match();

    private ByteBuffer bytes = ByteBuffer.allocate(1024);
    private int[] positions = new int[0];

    private SearchBuffer() {}

    static SearchBuffer take() {
        SearchBuffer scratch = FREE.get().pollFirst();
        return scratch == null ? new SearchBuffer() : scratch;
    }

    void give() {
        ArrayDeque<SearchBuffer> free = FREE.get();
        if (free.size() < KEPT && bytes.capacity() <= KEPT_LENGTH) {
            free.addFirst(this);
        }
    }

    /** The bytes that were last loaded or decoded. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** The same. */
    byte[] array() {
        return bytes.array();
    }

    /** The start in the text of the decoded byte with this index; for the index after the last, the end of the text. */
    int position(int index) {
        return positions[index];
    }

    /** The text as Latin-1. */
    ByteBuffer load(CharSequence text, int beyondLatin1) {
        int length = text.length();
        byte[] array = array(length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            array[i] = (byte) (c <= 0xff ? c : beyondLatin1);
        }
        return bytes;
    }

    /**
     * Appends a text and a separator. Keeps only the lower byte of characters beyond Latin-1.
     *
     * @return the number of bytes now
     */
    @SuppressWarnings("deprecation") // The only way to copy Latin-1 out of a string without an allocation.
    int append(int length, String text, int separator) {
        int end = length + text.length();
        byte[] array = room(length, end + 1);
        text.getBytes(0, text.length(), array, length);
        array[end] = (byte) separator;
        return end + 1;
    }

    /**
     * Decodes a part of the text from percent-encoding; malformed escapes stay.
     *
     * @param plus whether a plus sign is a space
     * @return the number of bytes
     */
    int decode(CharSequence text, int from, int to, boolean plus, int beyondLatin1) {
        byte[] array = array(to - from);
        if (positions.length <= to - from) {
            positions = new int[array.length + 1];
        }
        int length = 0;
        int at = from;
        while (at < to) {
            char c = text.charAt(at);
            positions[length] = at;
            int encoded = c == '%' && at + 2 < to ? Percent.hex(text.charAt(at + 1), text.charAt(at + 2)) : -1;
            if (encoded >= 0) {
                array[length++] = (byte) encoded;
                at += 3;
            } else {
                array[length++] = (byte) (c > 0xff ? beyondLatin1 : plus && c == '+' ? ' ' : c);
                at++;
            }
        }
        positions[length] = to;
        return length;
    }

    /**
     * Decodes the text from an index on from Base64 (RFC 4648, 4), with or without padding; -1 when it is malformed.
     */
    int decodeBase64(CharSequence text, int from) {
        return appendBase64(0, text, from);
    }

    /** As {@link #decodeBase64}, but appends; returns the number of bytes now, or -1. */
    int appendBase64(int before, CharSequence text, int from) {
        int to = text.length();
        while (to > from && text.length() - to < 2 && text.charAt(to - 1) == '=') {
            to--;
        }
        boolean padded = to < text.length();
        if ((to - from) % 4 == 1 || (padded && (text.length() - from) % 4 != 0)) {
            return -1;
        }
        byte[] array = room(before, before + (to - from) / 4 * 3 + 2);
        int length = before;
        int bits = 0;
        for (int i = from; i < to; i++) {
            int digit = base64(text.charAt(i));
            if (digit < 0) {
                return -1;
            }
            bits = (bits << 6) | digit;
            int phase = (i - from) % 4;
            if (phase > 0) {
                array[length++] = (byte) (bits >>> (6 - 2 * phase));
            }
        }
        return length;
    }

    /** The first bytes as text. */
    String latin1(int length) {
        return new String(bytes.array(), 0, length, StandardCharsets.ISO_8859_1);
    }

    private static int base64(char c) {
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        } else if (c >= 'a' && c <= 'z') {
            return c - 'a' + 26;
        } else if (c >= '0' && c <= '9') {
            return c - '0' + 52;
        }
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    }

    /** Memory for {@code length} bytes, of which the first ones are kept. */
    private byte[] room(int kept, int length) {
        if (bytes.capacity() < length) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(length, 2 * bytes.capacity()));
            System.arraycopy(bytes.array(), 0, larger.array(), 0, kept);
            bytes = larger;
        }
        return bytes.array();
    }

    /** Memory for {@code length} bytes, of which none is kept. */
    byte[] array(int length) {
        if (bytes.capacity() < length) {
            bytes = ByteBuffer.allocate(Math.max(length, 2 * bytes.capacity()));
        }
        return bytes.array();
    }
}
