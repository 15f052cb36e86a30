package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Label globs by what is literal in them, so that the cost of a look-up depends on the number of <em>shapes</em>, not of
 * globs. A glob with a literal beginning or end has the shape (length of beginning, length of end) and is found by
 * hashing as many characters of both ends of the label; one with a literal middle only is found by hashing every window
 * of its length. What is found is then compared in full. Immutable.
 *
 * <p>Look-up without allocation: for each probe below {@link #probes}, follow {@link #first} and {@link #next} until
 * they are negative, and take the {@link #value} of each entry that {@link #matches}. An entry may come up twice.
 */
final class GlobTable<V> {

    private final String[] globs;
    private final Object[] values;
    private final int[] keys;
    private final int[] following;
    private final int[] heads;
    /** Pairs: length of the literal beginning, length of the literal end. */
    private final int[] shapes;
    /** Lengths of literal middles. */
    private final int[] windows;

    GlobTable(Map<String, V> entries) {
        int size = entries.size();
        globs = entries.keySet().toArray(new String[0]);
        values = entries.values().toArray();
        keys = new int[size];
        following = new int[size];
        heads = new int[size == 0 ? 0 : Integer.highestOneBit(size * 2 - 1) * 2];
        Arrays.fill(heads, -1);
        List<Long> anchored = new ArrayList<>();
        List<Integer> floating = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            keys[i] = register(globs[i], anchored, floating);
            int slot = keys[i] & heads.length - 1;
            following[i] = heads[slot];
            heads[slot] = i;
        }
        shapes = new int[2 * anchored.size()];
        for (int i = 0; i < anchored.size(); i++) {
            shapes[2 * i] = (int) (anchored.get(i) >>> 32);
            shapes[2 * i + 1] = anchored.get(i).intValue();
        }
        windows = Ints.array(floating);
    }

    private static int register(String glob, List<Long> anchored, List<Integer> floating) {
        int head = 0;
        while (!Glob.isWildcard(glob.charAt(head))) {
            head++;
        }
        int tail = 0;
        while (!Glob.isWildcard(glob.charAt(glob.length() - 1 - tail))) {
            tail++;
        }
        int from = 0;
        int to = 0;
        for (int i = head; i < glob.length() - tail; i++) {
            int end = i;
            while (!Glob.isWildcard(glob.charAt(end))) {
                end++;
            }
            if (end - i > to - from) {
                from = i;
                to = end;
            }
            i = end;
        }
        if (head + tail == 0 && to > from) {
            if (!floating.contains(to - from)) {
                floating.add(to - from);
            }
            return windowKey(glob, from, to);
        }
        long shape = (long) head << 32 | tail;
        if (!anchored.contains(shape)) {
            anchored.add(shape);
        }
        return anchoredKey(glob, 0, glob.length(), head, tail);
    }

    /** How often to look for a label of this length. */
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

    boolean matches(int entry, String text, int from, int to) {
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
