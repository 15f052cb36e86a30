package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values with placeholders in one body as it streams, however it is cut into pieces. Several searches share
 * the bytes that are held back: one reads the plain bytes, and from the first possible escape on, one for each notation
 * reads the unescaped bytes. The leftmost match wins, then the longest; the text after it is searched again. Only bytes
 * that may still become a match are held back. One instance serves one body, on one thread at a time.
 */
final class RedactingRewriter implements BodyRewriter {

    /** Reported in place of a value's index where it is not known which one was cut off. */
    static final int CUT = -1;

    private final Patterns patterns;
    private final @Nullable Escaping surroundings;
    private final boolean keepsLength;
    private final boolean cutAfter;
    private final IntConsumer found;
    private final LookbackBuffer window;
    private final List<Search> searches;
    private final List<Escaping> escapings;
    /** Everything before this position has been written. */
    private long done;
    /** The end of the last match. */
    private long plainFrom;

    private boolean changed;

    /**
     * @param surroundings the notation of plain values, or null
     * @param keepsLength whether a replacement has the length of its value
     * @param found receives the index of the value for each match
     */
    RedactingRewriter(Patterns patterns, @Nullable Escaping surroundings, boolean keepsLength, IntConsumer found) {
        this(patterns, surroundings, keepsLength, false, found);
    }

    /** @param cutAfter whether the text goes on behind its end: a value that may do so is masked there */
    RedactingRewriter(
            Patterns patterns,
            @Nullable Escaping surroundings,
            boolean keepsLength,
            boolean cutAfter,
            IntConsumer found) {
        this.patterns = patterns;
        this.cutAfter = cutAfter;
        this.surroundings = surroundings;
        this.keepsLength = keepsLength;
        this.found = found;
        this.window = new LookbackBuffer(patterns.escapeTable());
        this.escapings = patterns.escapings();
        this.searches = new ArrayList<>(1);
        searches.add(new PlainSearch(window, patterns.matcher()));
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        return keepsLength ? in : OptionalLong.empty();
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        window.open(in);
        if (searches.size() == 1 && !window.isQuiet()) {
            // Most bodies have no escapes and need none of these.
            for (Escaping escaping : escapings) {
                searches.add(new EscapedSearch(window, escaping, patterns, plainFrom));
            }
        }
        process(false, out);
        long undecided = window.end();
        for (Search search : searches) {
            undecided = Math.min(undecided, search.undecidedFrom());
        }
        window.emit(done, undecided, out);
        int gone = (int) (undecided - window.origin());
        for (Search search : searches) {
            search.slide(gone);
        }
        window.close(undecided);
        done = undecided;
        in.position(in.limit());
    }

    @Override
    public void end(Sink out) {
        long cut = cutAfter ? cutFrom() : window.end();
        if (cut == window.end()) {
            process(true, out);
            cut = cutAfter ? Math.max(done, cutFrom()) : window.end();
        }
        window.emit(done, cut, out);
        mask(cut, out);
        done = window.end();
        window.close(done);
    }

    /** Where a value begins that goes on behind the end, unless another one was found before it; the end if none does. */
    private long cutFrom() {
        long cut = window.end();
        long certain = window.end();
        for (Search search : searches) {
            if (search.found()) {
                certain = Math.min(certain, search.start());
            } else if (search.undecidedLength() >= PartHead.LEAST) {
                cut = Math.min(cut, search.undecidedFrom());
            }
        }
        return certain < cut ? window.end() : cut;
    }

    private void mask(long from, Sink out) {
        if (from < window.end()) {
            byte[] mask = new byte[(int) (window.end() - from)];
            Arrays.fill(mask, PartHead.MASK);
            out.write(ByteBuffer.wrap(mask));
            changed = true;
            found.accept(CUT);
        }
    }

    @Override
    public boolean changed() {
        return changed;
    }

    /** How many bytes are held back. */
    int heldBack() {
        return window.heldLength();
    }

    private void process(boolean last, Sink out) {
        for (Search next = first(last); next != null; next = first(last)) {
            found.accept(patterns.redaction(next.token()));
            window.emit(done, next.start(), out);
            byte[] standIn = standIn(next);
            if (standIn.length > 0) {
                out.write(ByteBuffer.wrap(standIn).asReadOnlyBuffer());
            }
            changed = true;
            done = next.end();
            plainFrom = done;
            for (Search search : searches) {
                search.restart(done, search == next);
            }
        }
    }

    /** The search with the first match, once no earlier match is possible; otherwise null. */
    private @Nullable Search first(boolean last) {
        Search best = null;
        for (Search search : searches) {
            search.advance(last);
            if (search.found() && (best == null || search.precedes(best))) {
                best = search;
            }
        }
        for (int i = 0; best != null && !last && i < searches.size(); i++) {
            Search search = searches.get(i);
            if (!search.found() && search.undecidedFrom() <= best.start()) {
                best = null;
            }
        }
        return best;
    }

    private byte[] standIn(Search match) {
        if (keepsLength) {
            return patterns.standInOfLength(match.token(), (int) (match.end() - match.start()));
        }
        int index = searches.indexOf(match);
        if (index == 0) {
            return patterns.standIn(match.token(), surroundings, true);
        }
        Escaping escaping = escapings.get(index - 1);
        byte[] standIn = patterns.standIn(match.token(), escaping, false);
        boolean littleEndian = escaping == Escaping.UTF_16 && window.at(match.start()) != 0;
        return littleEndian && standIn.length > 0 ? Arrays.copyOfRange(standIn, 1, standIn.length) : standIn;
    }
}
