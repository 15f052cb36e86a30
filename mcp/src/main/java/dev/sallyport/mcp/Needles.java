package dev.sallyport.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Finds the places where a message may begin to name what is filtered, in any case, also with escapes: the first four
 * letters of each name behind a quotation mark, and the escapes that may stand for letters. What has none of these cannot
 * hold a list. Immutable and thread-safe.
 */
final class Needles {

    /** The length of each needle. */
    static final int LENGTH = 5;

    private static final int BYTES = 256;

    /** By the folded last byte of a window: how far the window can be moved. */
    private final byte[] shift = new byte[BYTES];

    private final byte[][] needles;

    private Needles(List<byte[]> all) {
        needles = all.toArray(new byte[0][]);
        Arrays.fill(shift, (byte) LENGTH);
        for (byte[] needle : needles) {
            for (int i = 0; i < LENGTH; i++) {
                byte distance = (byte) (LENGTH - 1 - i);
                for (int b = 0; b < BYTES; b++) {
                    if (fold((byte) b) == needle[i] && distance < shift[b]) {
                        shift[b] = distance;
                    }
                }
            }
        }
    }

    /** For lists of these kinds, and for requests for the client's model. */
    static Needles of(Set<ListKind> kinds, boolean sampling) {
        List<String> texts = new ArrayList<>(List.of("\\u005", "\\u006", "\\u007"));
        for (ListKind kind : kinds) {
            String begin = "\"" + kind.member.substring(0, LENGTH - 1);
            if (!texts.contains(begin)) {
                texts.add(begin);
            }
        }
        // Go and others fold the long s (U+017F) to s.
        if (kinds.contains(ListKind.RESOURCES)) {
            texts.add("\"re\u017f");
        }
        if (sampling) {
            texts.add("\"samp");
            texts.add("\"\u017fam");
        }
        return new Needles(texts.stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    /** Whether there is one between two indexes. */
    boolean in(ByteBuffer text, int from, int to) {
        int last = from + LENGTH - 1;
        while (last < to) {
            int move = shift[text.get(last) & 0xff];
            if (move == 0) {
                if (at(text, last - LENGTH + 1)) {
                    return true;
                }
                move = 1;
            }
            last += move;
        }
        return false;
    }

    private boolean at(ByteBuffer text, int index) {
        for (byte[] needle : needles) {
            int i = LENGTH - 1;
            while (i >= 0 && fold(text.get(index + i)) == needle[i]) {
                i--;
            }
            if (i < 0) {
                return true;
            }
        }
        return false;
    }

    private static byte fold(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
    }
}
