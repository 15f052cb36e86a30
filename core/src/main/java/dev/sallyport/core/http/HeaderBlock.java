package dev.sallyport.core.http;

import dev.sallyport.spi.Headers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Field lines in one array, in wire order and wire casing. Netty's decoder fills it directly (it is the product of
 * {@code HttpDecoderConfig.setHeadersFactory}), transforms see it through {@link Headers}, and the encoder writes it
 * unchanged. Not thread-safe; owned by one exchange.
 *
 * <p>Lines may be marked sensitive: their values carry secrets and are masked for transforms that disclose content.
 */
public final class HeaderBlock extends NettyHeaders implements Headers {

    private static final int INITIAL_LINES = 16;
    private static final int MORE_LINES = 4;
    private static final boolean[] NOT_SENSITIVE = {};
    private static final Object[] NO_LINES = {};

    /** Names at even, values at odd positions. One value may be {@link Crumbs}; everything else is a string. */
    private Object[] lines;

    private int size;
    private boolean[] sensitive = NOT_SENSITIVE;

    /** The bits of all names in the block; bits of removed names may remain. */
    private long present;

    /** An empty block. */
    public HeaderBlock() {
        this(INITIAL_LINES);
    }

    /** An empty block with room for this many lines; with room for none it costs next to nothing. */
    public HeaderBlock(int expectedLines) {
        super();
        lines = expectedLines <= 0 ? NO_LINES : new Object[expectedLines * 2];
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    @Override
    public String name(int index) {
        return (String) lines[checked(index) * 2];
    }

    @Override
    public String value(int index) {
        return text(checked(index));
    }

    @Override
    public @Nullable String first(String name) {
        int index = indexOf(name, 0);
        return index < 0 ? null : text(index);
    }

    @Override
    public boolean contains(String name) {
        return indexOf(name, 0) >= 0;
    }

    @Override
    public List<String> all(String name) {
        int at = indexOf(name, 0);
        if (at < 0) {
            return List.of();
        }
        int next = indexOf(name, at + 1);
        if (next < 0) {
            return List.of(text(at));
        }
        List<String> values = new ArrayList<>();
        for (int i = at; i >= 0; i = indexOf(name, i + 1)) {
            values.add(text(i));
        }
        return values;
    }

    /** The index of the first line of this name at or after {@code from}, or -1. */
    @Override
    public int indexOf(String name, int from) {
        if ((present & bit(name)) == 0) {
            return -1;
        }
        int length = name.length();
        for (int i = from; i < size; i++) {
            String candidate = (String) lines[i * 2];
            if (candidate.length() == length && candidate.equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    /** The number of lines of this name. */
    public int count(String name) {
        int count = 0;
        for (int i = indexOf(name, 0); i >= 0; i = indexOf(name, i + 1)) {
            count++;
        }
        return count;
    }

    /** Whether a comma-separated list in any line of this name contains this token (RFC 9110, 5.6.1). */
    public boolean hasToken(String name, String token) {
        for (int i = indexOf(name, 0); i >= 0; i = indexOf(name, i + 1)) {
            if (listHas(text(i), token)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a comma-separated list contains this token (RFC 9110, 5.6.1), ignoring case. Allocates nothing. */
    private static boolean listHas(String list, String token) {
        int length = list.length();
        int from = 0;
        while (from < length) {
            int comma = list.indexOf(',', from);
            int to = comma < 0 ? length : comma;
            int start = from;
            int end = to;
            while (start < end && isSpace(list.charAt(start))) {
                start++;
            }
            while (end > start && isSpace(list.charAt(end - 1))) {
                end--;
            }
            if (end - start == token.length() && list.regionMatches(true, start, token, 0, token.length())) {
                return true;
            }
            from = to + 1;
        }
        return false;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /** The number of characters of all names and values. */
    public long characters() {
        long characters = 0;
        for (int i = 0; i < size; i++) {
            characters += name(i).length() + value(i).length();
        }
        return characters;
    }

    /** Appends a line. */
    @Override
    public HeaderBlock append(String name, String value) {
        if (size * 2 == lines.length) {
            lines = Arrays.copyOf(lines, Math.max(MORE_LINES * 2, lines.length * 2));
        }
        present |= bit(name);
        lines[size * 2] = name;
        lines[size * 2 + 1] = value;
        size++;
        return this;
    }

    /** Replaces the value of a line; its name stays. */
    public void setValue(int index, String value) {
        lines[checked(index) * 2 + 1] = value;
    }

    /** Replaces name and value of a line. */
    public void setLine(int index, String name, String value) {
        lines[checked(index) * 2] = name;
        lines[index * 2 + 1] = value;
        present |= bit(name);
    }

    /** Removes one line. */
    @SuppressWarnings("NullAway") // what lies beyond the size is never read
    public void removeAt(int index) {
        checked(index);
        System.arraycopy(lines, (index + 1) * 2, lines, index * 2, (size - index - 1) * 2);
        if (index < sensitive.length) {
            System.arraycopy(sensitive, index + 1, sensitive, index, sensitive.length - index - 1);
            sensitive[sensitive.length - 1] = false;
        }
        size--;
        lines[size * 2] = null;
        lines[size * 2 + 1] = null;
    }

    /** Removes all lines of a name; returns whether there were any. */
    @Override
    public boolean removeAll(String name) {
        boolean removed = false;
        for (int i = indexOf(name, 0); i >= 0; i = indexOf(name, i)) {
            removeAt(i);
            removed = true;
        }
        return removed;
    }

    /**
     * Replaces all lines of a name: the first line keeps its place and takes the given casing; if there is none, lines
     * are appended.
     */
    @Override
    public void replace(String name, List<String> values) {
        int at = indexOf(name, 0);
        int i = 0;
        int last = size - 1;
        for (; at >= 0 && i < values.size(); i++) {
            setLine(at, name, values.get(i));
            last = at;
            at = indexOf(name, at + 1);
        }
        while (at >= 0) {
            removeAt(at);
            at = indexOf(name, at);
        }
        boolean append = i == 0;
        for (; i < values.size(); i++) {
            if (append) {
                append(name, values.get(i));
            } else {
                insert(++last, name, values.get(i));
            }
        }
    }

    /** Inserts a line before the one at this index. */
    public void insert(int index, String name, String value) {
        append(name, value);
        System.arraycopy(lines, index * 2, lines, (index + 1) * 2, (size - 1 - index) * 2);
        lines[index * 2] = name;
        lines[index * 2 + 1] = value;
        if (index < sensitive.length) {
            sensitive = Arrays.copyOf(sensitive, sensitive.length + 1);
            System.arraycopy(sensitive, index, sensitive, index + 1, sensitive.length - 1 - index);
            sensitive[index] = false;
        }
    }

    /** Marks a line as carrying a secret. */
    public void markSensitive(int index) {
        checked(index);
        if (index >= sensitive.length) {
            sensitive = Arrays.copyOf(sensitive, Math.max(index + 1, size));
        }
        sensitive[index] = true;
    }

    /** Whether a line carries a secret. */
    public boolean isSensitive(int index) {
        return index < sensitive.length && sensitive[index];
    }

    /** Whether any line carries a secret. */
    public boolean hasSensitive() {
        for (boolean mark : sensitive) {
            if (mark) {
                return true;
            }
        }
        return false;
    }

    @Override
    public HeaderBlock copy() {
        HeaderBlock copy = new HeaderBlock(size);
        System.arraycopy(lines, 0, copy.lines, 0, size * 2);
        copy.size = size;
        copy.present = present;
        copy.sensitive = sensitive.length == 0 ? sensitive : sensitive.clone();
        return copy;
    }

    /** Takes over the lines of {@code earlier}, a copy of this block that must not be used afterwards. */
    void restore(HeaderBlock earlier) {
        lines = earlier.lines;
        size = earlier.size;
        present = earlier.present;
        sensitive = earlier.sensitive;
    }

    /** The value of a line. */
    private String text(int index) {
        return lines[index * 2 + 1] instanceof String value ? value : joined(index);
    }

    private String joined(int index) {
        String whole = ((Crumbs) lines[index * 2 + 1]).join();
        lines[index * 2 + 1] = whole;
        return whole;
    }

    /**
     * Joins all lines of a name into one, in the place of the first (RFC 9113, 8.2.3). The value is built when it is
     * first read: crumbs that HPACK refers to repeatedly are held once, and the joined value is many times as long.
     */
    public void joinCrumbs(String name) {
        int first = indexOf(name, 0);
        int next = first < 0 ? -1 : indexOf(name, first + 1);
        if (next < 0) {
            return;
        }
        List<String> crumbs = all(name);
        int kept = next;
        for (int i = next; i < size; i++) {
            if (!name.equalsIgnoreCase((String) lines[i * 2])) {
                lines[kept * 2] = lines[i * 2];
                lines[kept * 2 + 1] = lines[i * 2 + 1];
                kept++;
            }
        }
        Arrays.fill(lines, kept * 2, size * 2, null);
        size = kept;
        lines[first * 2 + 1] = new Crumbs(crumbs);
    }

    /** Parts of a cookie; an empty one would leave white space at the end. */
    private static final class Crumbs {

        private final List<String> parts;

        Crumbs(List<String> parts) {
            this.parts = parts;
        }

        String join() {
            StringBuilder whole = new StringBuilder();
            for (String part : parts) {
                if (!part.isEmpty()) {
                    whole.append(whole.isEmpty() ? "" : "; ").append(part);
                }
            }
            return whole.toString();
        }
    }

    private int checked(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("line: " + index + " (expected: 0 to " + (size - 1) + ")");
        }
        return index;
    }

    @Override
    public HeaderBlock clear() {
        Arrays.fill(lines, 0, size * 2, null);
        size = 0;
        present = 0;
        sensitive = NOT_SENSITIVE;
        return this;
    }

    /**
     * A bit that is the same for all spellings of a name. Most look-ups in a head are for fields that are absent; one
     * word of such bits answers them.
     */
    private static long bit(String name) {
        return name.isEmpty() ? 1 : 1L << ((name.charAt(0) | 0x20) + 5 * name.length());
    }

    /** The names only: values may be secrets. */
    @Override
    public String toString() {
        return "HeaderBlock" + names().toString().toLowerCase(Locale.ROOT);
    }
}
