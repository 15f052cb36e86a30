package dev.sallyport.core.dns;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The oracle: takes a message apart as a careless client would, names and all, and fails where that client would read
 * beyond the end, read something twice, or go round in circles.
 */
final class WholeMessage {

    /** By type: octets before names, names, octets after them (-1: any). Types without are any octets. */
    private static final Map<Integer, int[]> FORMS = Map.ofEntries(
            Map.entry(1, new int[] {4, 0, 0}),
            Map.entry(28, new int[] {16, 0, 0}),
            Map.entry(2, new int[] {0, 1, 0}),
            Map.entry(5, new int[] {0, 1, 0}),
            Map.entry(6, new int[] {0, 2, 20}),
            Map.entry(12, new int[] {0, 1, 0}),
            Map.entry(14, new int[] {0, 2, 0}),
            Map.entry(15, new int[] {2, 1, 0}),
            Map.entry(33, new int[] {6, 1, 0}),
            Map.entry(39, new int[] {0, 1, 0}),
            Map.entry(46, new int[] {18, 1, -1}),
            Map.entry(47, new int[] {0, 1, -1}),
            Map.entry(64, new int[] {2, 1, -1}),
            Map.entry(65, new int[] {2, 1, -1}));

    private final byte[] bytes;
    private int at = 12;

    private WholeMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    static void check(byte[] message) {
        new WholeMessage(message).read();
    }

    private void read() {
        for (int i = u16(4); i > 0; i--) {
            name(bytes.length);
            skip(4, bytes.length);
        }
        for (int i = u16(6) + u16(8) + u16(10); i > 0; i--) {
            name(bytes.length);
            skip(10, bytes.length);
            int end = at + u16(at - 2);
            int type = u16(at - 10);
            if (end > bytes.length) {
                throw new AssertionError("a record ends behind the message");
            }
            int[] form = FORMS.getOrDefault(type, new int[] {0, 0, -1});
            skip(form[0], end);
            for (int n = form[1]; n > 0; n--) {
                name(end);
            }
            if (form[2] >= 0) {
                skip(form[2], end);
                if (at != end) {
                    throw new AssertionError("type " + type + " has more data than it may");
                }
            }
            at = end;
        }
        if (at != bytes.length) {
            throw new AssertionError("there is more than the message: " + (bytes.length - at));
        }
    }

    private void skip(int count, int end) {
        at += count;
        if (at > end) {
            throw new AssertionError("something ends too late");
        }
    }

    private String name(int end) {
        StringBuilder name = new StringBuilder();
        Set<Integer> seen = new HashSet<>();
        int from = at;
        int after = -1;
        while (true) {
            if (!seen.add(from)) {
                throw new AssertionError("a name goes round");
            }
            int length = bytes[from] & 0xFF;
            if (length >= 0xC0) {
                after = after < 0 ? from + 2 : after;
                from = u16(from) & 0x3FFF;
                continue;
            }
            if (length > 63) {
                throw new AssertionError("a label of another kind");
            }
            name.append(new String(bytes, from + 1, length, StandardCharsets.ISO_8859_1))
                    .append('.');
            from += 1 + length;
            if (length == 0) {
                break;
            }
        }
        at = after < 0 ? from : after;
        if (at > end || name.length() > 255) {
            throw new AssertionError("a name is too long");
        }
        return name.toString();
    }

    private int u16(int from) {
        return (bytes[from] & 0xFF) << 8 | (bytes[from + 1] & 0xFF);
    }
}
