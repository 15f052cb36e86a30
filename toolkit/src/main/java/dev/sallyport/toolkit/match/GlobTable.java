package dev.sallyport.toolkit.match;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Label globs indexed by their literal parts, so that the cost of a look-up depends on the number of <em>shapes</em>,
 * not of globs. A glob with a literal beginning or end has the shape (length of beginning, length of end) and is found
 * by hashing as many characters of both ends of the label; one with a literal middle only is found by hashing every
 * window of its length. Candidates are then compared in full. Immutable.
 *
 * <p>Look-up without allocation: for each probe below {@link #probes}, follow {@link #first} and {@link #next} until
 * they are negative, and take the {@link #value} of each entry that {@link #matches}; each comes up once.
 */
final class GlobTable<V> {

    private static final GlobTable<?> EMPTY = new GlobTable<>(Map.of());

    /** The length of the part of a literal middle that is searched for. */
    private static final int LONGEST_WINDOW = 16;

    private final String[] globs;
    /** The literal middles that index globs; empty for the others. */
    private final String[] middles;

    private final Object[] values;
    private final int[] keys;
    private final int[] following;
    private final int[] heads;
    /** Pairs: length of the literal beginning, length of the literal end. */
    private final int[] shapes;
    /** Lengths of literal middles. */
    private final int[] windows;

    /** A table of nothing; one instance. */
    @SuppressWarnings("unchecked")
    static <V> GlobTable<V> empty() {
        return (GlobTable<V>) EMPTY;
    }

    /** A table of these entries. */
    static <V> GlobTable<V> of(Map<String, V> entries) {
        return new GlobTable<>(entries);
    }

    private GlobTable(Map<String, V> entries) {
        int size = entries.size();
        globs = entries.keySet().toArray(new String[0]);
        middles = new String[size];
        values = entries.values().toArray();
        keys = new int[size];
        following = new int[size];
        heads = new int[size == 0 ? 0 : Integer.highestOneBit(size * 2 - 1) * 2];
        Arrays.fill(heads, -1);
        Set<Long> anchored = new LinkedHashSet<>();
        Set<Integer> floating = new LinkedHashSet<>();
        for (int i = 0; i < size; i++) {
            int head = literalHead(globs[i]);
            int tail = literalTail(globs[i]);
            middles[i] = head + tail == 0 ? literalMiddle(globs[i]) : "";
            if (middles[i].isEmpty()) {
                anchored.add((long) head << 32 | tail);
                keys[i] = anchoredKey(globs[i], 0, globs[i].length(), head, tail);
            } else {
                floating.add(middles[i].length());
                keys[i] = windowKey(middles[i], 0, middles[i].length());
            }
            int slot = keys[i] & (heads.length - 1);
            following[i] = heads[slot];
            heads[slot] = i;
        }
        shapes = anchored.stream()
                .flatMapToInt(shape -> IntStream.of((int) (shape >>> 32), shape.intValue()))
                .toArray();
        windows = Ints.array(floating);
    }

    private static int literalHead(String glob) {
        int head = 0;
        while (!Glob.isWildcard(glob.charAt(head))) {
            head++;
        }
        return head;
    }

    private static int literalTail(String glob) {
        int tail = 0;
        while (!Glob.isWildcard(glob.charAt(glob.length() - 1 - tail))) {
            tail++;
        }
        return tail;
    }

    /** The end of the longest run without wildcards; empty when there is none. */
    private static String literalMiddle(String glob) {
        int from = 0;
        int to = 0;
        int start = 0;
        for (int i = 0; i < glob.length(); i++) {
            if (Glob.isWildcard(glob.charAt(i))) {
                start = i + 1;
            } else if (i + 1 - start > to - from) {
                from = start;
                to = i + 1;
            }
        }
        return glob.substring(Math.max(from, to - LONGEST_WINDOW), to);
    }

    /** The number of probes for a label of this length. */
    int probes(int length) {
        return shapes.length / 2 + windows.length * length;
    }

    /** The first candidate of a probe, or a negative number. */
    int first(int probe, String text, int from, int to) {
        int key;
        int floating = probe - shapes.length / 2;
        if (floating < 0) {
            int head = shapes[2 * probe];
            int tail = shapes[2 * probe + 1];
            if (head + tail > to - from) {
                return -1;
            }
            key = anchoredKey(text, from, to, head, tail);
        } else {
            int window = windows[floating / (to - from)];
            int start = from + floating % (to - from);
            if (start + window > to) {
                return -1;
            }
            key = windowKey(text, start, start + window);
        }
        return scan(heads[key & heads.length - 1], key);
    }

    /** The next candidate of the same probe, or a negative number. */
    int next(int entry) {
        return scan(following[entry], keys[entry]);
    }

    private int scan(int entry, int key) {
        int at = entry;
        while (at >= 0 && keys[at] != key) {
            at = following[at];
        }
        return at;
    }

    /** Whether an entry found by this probe matches; only the first place of its middle counts. */
    boolean matches(int entry, int probe, String text, int from, int to) {
        int floating = probe - shapes.length / 2;
        if (floating >= 0 && text.indexOf(middles[entry], from) != from + floating % (to - from)) {
            return false;
        }
        return Glob.matches(globs[entry], text, from, to);
    }

    @SuppressWarnings("unchecked")
    V value(int entry) {
        return (V) values[entry];
    }

    private static int anchoredKey(String text, int from, int to, int head, int tail) {
        return Hashes.combine(
                Hashes.combine(Hashes.region(text, from, from + head), Hashes.region(text, to - tail, to)),
                head * 64 + tail);
    }

    private static int windowKey(String text, int from, int to) {
        return Hashes.combine(Hashes.region(text, from, to), -1);
    }
}
