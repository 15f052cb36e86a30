package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.ByteFinder;
import java.util.List;

/**
 * Tells of each pair of bytes in which notations it may be the beginning of an escape: a set, as {@link Escaping#bits}. All
 * notations are looked for at once, and no byte takes longer than another. Immutable and thread-safe.
 */
final class EscapeTable {

    private static final int BYTES = 256;
    private static final int GOES_ON = Byte.SIZE;

    /** For each byte, the notations whose escapes begin with it, and above them those whose escapes may go on with it. */
    private final short[] notations = new short[BYTES];

    private final ByteFinder starts;

    /** @param wanted for each byte, whether it is */
    EscapeTable(List<Escaping> escapings, boolean[] wanted) {
        byte[] bytes = new byte[2 * escapings.size()];
        int count = 0;
        for (Escaping escaping : escapings) {
            bytes[count++] = escaping.first();
            bytes[count++] = escaping.second();
        }
        starts = ByteFinder.of(bytes);
        for (int value = 0; value < BYTES; value++) {
            for (Escaping escaping : escapings) {
                int both = escaping.beginsWith((byte) value) | (escaping.goesOnWith((byte) value, wanted) << GOES_ON);
                notations[value] |= (short) both;
            }
        }
    }

    /** All bytes with which escapes begin. */
    ByteFinder starts() {
        return starts;
    }

    /** Whether escapes of some notation begin with this byte. */
    boolean begins(int value) {
        return value < BYTES && (byte) notations[value] != 0;
    }

    /**
     * Writes the set of each of the first bytes of a text.
     *
     * @param to how many have one
     * @param length how many bytes there are; what follows them may be anything
     * @return the union of all
     */
    int mark(byte[] text, int to, int length, byte[] marks) {
        short[] table = notations;
        int seen = 0;
        int pairs = Math.min(to, length - 1);
        int value = pairs > 0 ? table[text[0] & 0xff] : 0;
        for (int i = 0; i < pairs; i++) {
            int next = table[text[i + 1] & 0xff];
            int mark = value & (next >>> GOES_ON);
            marks[i] = (byte) mark;
            seen |= mark;
            value = next;
        }
        if (pairs < to) {
            marks[pairs] = (byte) table[text[pairs] & 0xff];
            seen |= marks[pairs];
        }
        return seen;
    }
}
