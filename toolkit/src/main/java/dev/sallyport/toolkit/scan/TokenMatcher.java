package dev.sallyport.toolkit.scan;

import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds any of many tokens (byte strings) in one pass: the leftmost match, then the longest. The time of a search does
 * not grow with the number of tokens: a filter over rare windows of the tokens skips text in strides, and an automaton
 * reads what the filter cannot rule out. If some token is shorter than four bytes, the automaton reads everything.
 *
 * <p>Texts are searched as Latin-1, the form in which heads are kept: each character is one byte, and wider characters
 * are part of no token.
 *
 * <p>Immutable and thread-safe. Takes about 14 bytes of memory for each byte of the tokens.
 */
public final class TokenMatcher {

    /** The maximum total length of a matcher's tokens, in bytes. */
    public static final int MAX_TOTAL_LENGTH = 8 << 20;

    /** At a state this shallow the filter takes over. */
    private static final int SHALLOW = 8;

    /** Separates texts: fields cannot contain it, and a truncated token ends before it. */
    private static final int LINE_FEED = '\n';

    private final int[] lengths;
    private final int minLength;
    private final int maxLength;
    private final int absent;
    private final Automaton automaton;
    private final @Nullable GramFilter filter;
    /** By token; empty when only whole tokens count. */
    private final boolean[] cutAnywhere;

    private TokenMatcher(List<byte[]> tokens, int totalLength, int[] heads, boolean[] cutAnywhere) {
        this.cutAnywhere = cutAnywhere;
        lengths = new int[tokens.size()];
        boolean[] present = new boolean[256];
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int i = 0; i < lengths.length; i++) {
            byte[] token = tokens.get(i);
            lengths[i] = token.length;
            shortest = Math.min(shortest, heads.length == 0 ? token.length : heads[i]);
            longest = Math.max(longest, token.length);
            for (byte value : token) {
                present[value & 0xff] = true;
            }
        }
        minLength = shortest;
        maxLength = longest;
        absent = firstAbsent(present);
        automaton = new Automaton(tokens, totalLength, heads);
        filter = lengths.length > 0 && minLength >= GramFilter.MIN_TOKEN_LENGTH
                ? new GramFilter(heads.length == 0 ? tokens : beginnings(tokens, heads), minLength)
                : null;
    }

    /**
     * A matcher for these tokens, which are identified by their index. Among equal tokens the first is reported.
     *
     * @throws IllegalArgumentException when a token is empty, or their total length exceeds {@link #MAX_TOTAL_LENGTH}
     */
    public static TokenMatcher of(List<byte[]> tokens) {
        return of(tokens, new int[0], new boolean[0]);
    }

    /**
     * A matcher that also finds truncated tokens: a beginning at least as long as the token's head counts unless an
     * ASCII letter or digit follows.
     *
     * @param heads for each token, the length of its head
     * @param cutAnywhere for each token, whether its beginning counts whatever follows
     * @throws IllegalArgumentException as {@link #of(List)}
     */
    public static TokenMatcher ofBeginnings(List<byte[]> tokens, int[] heads, boolean[] cutAnywhere) {
        if (heads.length != tokens.size() || cutAnywhere.length != tokens.size()) {
            throw new IllegalArgumentException("heads: not as many as tokens");
        }
        return of(tokens, heads.clone(), cutAnywhere.clone());
    }

    private static List<byte[]> beginnings(List<byte[]> tokens, int[] heads) {
        List<byte[]> beginnings = new ArrayList<>(tokens.size());
        for (int i = 0; i < heads.length; i++) {
            beginnings.add(Arrays.copyOf(tokens.get(i), heads[i]));
        }
        return beginnings;
    }

    private static TokenMatcher of(List<byte[]> tokens, int[] heads, boolean[] cutAnywhere) {
        List<byte[]> copies = new ArrayList<>(tokens.size());
        long total = 0;
        for (byte[] token : tokens) {
            if (token.length == 0) {
                throw new IllegalArgumentException("token: empty (expected: at least one byte)");
            }
            copies.add(token.clone());
            total += token.length;
        }
        if (total > MAX_TOTAL_LENGTH) {
            throw new IllegalArgumentException("tokens: too long (expected: at most 8 MiB in all)");
        }
        return new TokenMatcher(copies, (int) total, heads, cutAnywhere);
    }

    /** The number of tokens. */
    public int size() {
        return lengths.length;
    }

    /** Whether there are no tokens. */
    public boolean isEmpty() {
        return lengths.length == 0;
    }

    /** The number of bytes of one token. */
    public int length(int token) {
        return lengths[token];
    }

    /** The fewest bytes of which a match consists. */
    public int minLength() {
        return minLength;
    }

    /** The number of bytes of the longest token, 0 when there is none. */
    public int maxLength() {
        return maxLength;
    }

    /** As {@link #find(ByteBuffer, int, int, Match)}. */
    public boolean find(byte[] data, int from, int to, Match match) {
        return find(ByteBuffer.wrap(data), from, to, match);
    }

    /**
     * Searches from one absolute index up to another, exclusive. Does not use or change the buffer's position.
     *
     * @return whether there is a token; {@code match} then identifies it
     */
    public boolean find(ByteBuffer data, int from, int to, Match match) {
        match.begin(from);
        match.whole = true;
        return to - from >= minLength && (run(match, data, 0, from, to) || finish(match));
    }

    /** Searches a text from an index on. */
    public boolean find(CharSequence latin1, int from, Match match) {
        match.begin(from);
        if (latin1.length() - from < minLength) {
            return false;
        }
        SearchBuffer scratch = SearchBuffer.take();
        try {
            return find(scratch.load(latin1, absent), from, latin1.length(), match);
        } finally {
            scratch.give();
        }
    }

    /** Whether a text contains any token. Allocates nothing. */
    public boolean matches(CharSequence latin1) {
        return indexIn(latin1) >= 0;
    }

    /** The index of the first token in a text, or -1. Allocates nothing. */
    public int indexIn(CharSequence latin1) {
        if (latin1.length() < minLength) {
            return -1;
        }
        SearchBuffer scratch = SearchBuffer.take();
        try {
            ByteBuffer data = scratch.load(latin1, absent);
            return find(data, 0, latin1.length(), scratch.match) ? scratch.match.token() : -1;
        } finally {
            scratch.give();
        }
    }

    /**
     * Whether a name or value of some fields may contain a token or one of these bytes. One pass over all of them, far
     * cheaper than one for each. False is certain; true must be checked. Allocates nothing.
     */
    public boolean mayFind(Headers fields, ByteFinder bytes) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            int length = 0;
            for (int i = 0; i < fields.size(); i++) {
                length = scratch.append(length, fields.name(i), LINE_FEED);
                length = scratch.append(length, fields.value(i), LINE_FEED);
            }
            return bytes.indexIn(scratch.array(), 0, length) >= 0 || find(scratch.bytes(), 0, length, scratch.match);
        } finally {
            scratch.give();
        }
    }

    /**
     * Replaces every token in a text.
     *
     * @param replacements what stands for each token, by index, as Latin-1
     * @return the same instance when there was none
     */
    public String replace(String latin1, List<String> replacements) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            ByteBuffer data = scratch.load(latin1, absent);
            Match match = scratch.match;
            StringBuilder text = null;
            int done = 0;
            while (find(data, done, latin1.length(), match)) {
                text = text == null ? new StringBuilder(latin1.length() + 64) : text;
                text.append(latin1, done, match.start()).append(replacements.get(match.token()));
                done = match.end();
            }
            return text == null
                    ? latin1
                    : text.append(latin1, done, latin1.length()).toString();
        } finally {
            scratch.give();
        }
    }

    /** A byte that no token contains, in place of characters that no token can contain. */
    int absent() {
        return absent;
    }

    /** The start of the bytes that may still become a token, after everything so far has been read. */
    int undecidedFrom(Match cursor) {
        return cursor.position - automaton.depth(cursor.state);
    }

    /**
     * Reads up to the end of the data or to the next certain match, after which no longer or earlier one is possible.
     *
     * @param shift the difference between a cursor position and its index in {@code data}
     * @param begin the first cursor position at which the filter may be used
     * @param to the cursor position at which the data ends
     */
    boolean run(Match cursor, ByteBuffer data, int shift, int begin, int to) {
        if (isEmpty()) {
            cursor.resumeAt(to, to - 1);
            return false;
        }
        while (cursor.position < to) {
            if (filter == null) {
                return walk(cursor, data, shift, Integer.MAX_VALUE, to);
            }
            if (isCold(cursor, cursor.state, cursor.position, begin)) {
                cursor.resumeAt(undecidedFrom(cursor), cursor.hot);
                filter.skip(cursor, data, shift, to);
            }
            if (walk(cursor, data, shift, begin, to)) {
                return true;
            }
        }
        return false;
    }

    /** Ends the input; returns whether there is a match. */
    boolean finish(Match cursor) {
        if (cutAnywhere.length > 0) {
            begun(cursor, cursor.state, cursor.position, -1);
        }
        return cursor.isPending();
    }

    /**
     * Matches the longest sufficient beginning that ends before this byte, which is negative at the end of the input.
     */
    private void begun(Match cursor, int state, int position, int next) {
        int beginning = automaton.beginning(state);
        while (beginning != Automaton.ROOT) {
            int token = automaton.begunToken(beginning);
            if (cutAnywhere[token] || !isAlphanumeric(next)) {
                cursor.begun(token, position - automaton.depth(beginning), position);
                return;
            }
            beginning = automaton.shorterBeginning(beginning);
        }
    }

    /** Whether this byte, where it follows the beginning of a token, says that it is another word, and nothing was cut off. */
    public static boolean isAlphanumeric(int value) {
        return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || (value >= '0' && value <= '9');
    }

    /** Runs the automaton up to a certain match (true), the end, or a place where the filter can take over. */
    private boolean walk(Match cursor, ByteBuffer data, int shift, int begin, int to) {
        int position = cursor.position;
        int state = cursor.state;
        boolean certain = false;
        boolean cold = false;
        while (position < to && !certain && !cold) {
            int next = data.get(position - shift) & 0xff;
            if (cutAnywhere.length > 0) {
                begun(cursor, state, position, next);
            }
            position++;
            state = automaton.step(state, next);
            if (automaton.hasOutput(state)) {
                int token = automaton.output(state);
                cursor.found(token, position - lengths[token], position);
            }
            if (cursor.isPending()) {
                certain = position - automaton.depth(state) > cursor.start() || automaton.isLeaf(state);
            } else {
                cold = isCold(cursor, state, position, begin);
            }
        }
        cursor.position = position;
        cursor.state = state;
        return certain;
    }

    private boolean isCold(Match cursor, int state, int position, int begin) {
        int depth = automaton.depth(state);
        int start = position - depth;
        return depth < SHALLOW && start >= begin && start > cursor.hot && !cursor.isPending();
    }

    private static int firstAbsent(boolean[] present) {
        for (int value = 255; value > 0; value--) {
            if (!present[value]) {
                return value;
            }
        }
        return 0;
    }
}
