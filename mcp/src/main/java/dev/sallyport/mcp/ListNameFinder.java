package dev.sallyport.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Finds the places where a message may begin to name something that is filtered, in any case and also with escapes: a
 * quotation mark followed by the first four letters of a name, or by an escape that may stand for a letter. A text
 * without such a place cannot contain a list. Immutable and thread-safe.
 */
final class ListNameFinder {

    /** The length of each start. */
    static final int LENGTH = 5;

    private static final int BYTES = 256;

    /** How far the window can be moved, by its folded last byte. */
    private final byte[] shift = new byte[BYTES];

    private final byte[][] starts;

    private ListNameFinder(List<byte[]> all) {
        starts = all.toArray(new byte[0][]);
        Arrays.fill(shift, (byte) LENGTH);
        for (byte[] start : starts) {
            for (int i = 0; i < LENGTH; i++) {
                byte distance = (byte) (LENGTH - 1 - i);
                for (int b = 0; b < BYTES; b++) {
                    if (fold((byte) b) == start[i] && distance < shift[b]) {
                        shift[b] = distance;
                    }
                }
            }
        }
    }

    /** Finds lists of these kinds, and requests to the client's model. */
    static ListNameFinder of(Set<ListKind> kinds, boolean sampling) {
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
        return new ListNameFinder(texts.stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    /** Whether there is a start between two indexes. */
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
        for (byte[] start : starts) {
            int i = LENGTH - 1;
            while (i >= 0 && fold(text.get(index + i)) == start[i]) {
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
