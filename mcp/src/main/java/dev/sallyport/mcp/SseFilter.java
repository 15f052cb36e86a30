package dev.sallyport.mcp;

import dev.sallyport.mcp.json.JsonDetector;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Filters a stream of events (WHATWG HTML, 9.2) event by event. An event that names nothing to filter is passed on in
 * its original buffer. An event that is cut at the end of a buffer is held back until it is complete, up to a limit. A
 * longer event is passed on piece by piece as long as nothing in it could be filtered; otherwise the stream is aborted
 * before the end of the event, so that no client takes it for a complete one. One instance serves one body.
 */
final class SseFilter implements BodyRewriter {

    private static final byte[] EMPTY = {};
    private static final int FIRST_BYTES = 1024;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long LINE_FEEDS = 0x0a0a0a0a0a0a0a0aL;
    private static final long CARRIAGE_RETURNS = 0x0d0d0d0d0d0d0d0dL;

    private final McpExchange exchange;
    private final MessageFilter filter;
    private final ListNameFinder finder;
    private final int maxEvent;

    /** The beginning of an event, or the last bytes passed on of a long one. */
    private byte[] held = EMPTY;

    private int size;
    private boolean passing;
    private boolean begun;
    private boolean changed;
    private byte[] prologue;

    /** How many bytes of a byte order mark were dropped after the prologue; -1 when the search for it is over. */
    private int mark;

    /** Whether a line feed that comes next is the second half of a line break that was rewritten. */
    private boolean swallow;

    /** @param prologue events that come first */
    SseFilter(McpExchange exchange, ListNameFinder finder, int maxEvent, byte[] prologue) {
        this.exchange = exchange;
        this.filter = new MessageFilter(exchange);
        this.finder = finder;
        this.maxEvent = maxEvent;
        this.prologue = prologue;
        this.mark = prologue.length > 0 ? 0 : -1;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        int to = in.limit();
        int from = skip(in, in.position(), to);
        if (size > 0) {
            int end = firstEnd(in, from, from, to, size);
            if (end < 0) {
                keep(in, from, to, out);
                in.position(to);
                return;
            }
            complete(in, from, end, out);
            from = end;
        }
        int last = lastEnd(in, from, to);
        if (last > from) {
            events(in, from, last, out);
        }
        if (last < to) {
            swallow = false;
            keep(in, last, to, out);
        }
        in.position(to);
    }

    /** Drops bytes that must not follow what was already written. */
    private int skip(ByteBuffer in, int start, int to) {
        int from = start;
        if (swallow && from < to) {
            swallow = false;
            from += in.get(from) == '\n' ? 1 : 0;
        }
        while (mark >= 0 && from < to) {
            if (mark < Event.BOM.length && in.get(from) == Event.BOM[mark]) {
                mark++;
                from++;
            } else {
                if (mark < Event.BOM.length) {
                    append(ByteBuffer.wrap(Event.BOM), 0, mark);
                }
                mark = -1;
            }
        }
        return from;
    }

    @Override
    public void end(Sink out) {
        begin(out);
        if (size > 0 && !passing) {
            write(Arrays.copyOf(held, size), out);
        }
        size = 0;
        exchange.trail().tell();
    }

    @Override
    public boolean changed() {
        return changed;
    }

    /** Complete events. */
    private void events(ByteBuffer in, int from, int to, Sink out) {
        begin(out);
        swallow = false;
        if (!finder.in(in, from, to)) {
            out.forward(from, to - from);
            return;
        }
        int untouched = from;
        int at = from;
        while (at < to) {
            int end = firstEnd(in, at, at, to, 0);
            if (finder.in(in, at, end)) {
                out.forward(untouched, at - untouched);
                if (end - at > maxEvent) {
                    throw refuse("An event is too long to be judged.");
                }
                byte[] event = new byte[end - at];
                in.get(at, event);
                write(event, out);
                untouched = end;
            }
            at = end;
        }
        swallow &= untouched == to;
        out.forward(untouched, to - untouched);
    }

    /** The rest of the event that is held. */
    private void complete(ByteBuffer in, int from, int end, Sink out) {
        if (passing) {
            pass(in, from, end, out);
        } else {
            append(in, from, end);
            if (size > maxEvent) {
                giveUpHolding(out);
            } else if (finder.in(ByteBuffer.wrap(held), 0, size)) {
                write(Arrays.copyOf(held, size), out);
            } else {
                begin(out);
                swallow = false;
                out.write(ByteBuffer.wrap(held, 0, size));
            }
        }
        passing = false;
        size = 0;
    }

    /** A further part of an event whose end has not come. */
    private void keep(ByteBuffer in, int from, int to, Sink out) {
        if (passing) {
            pass(in, from, to, out);
            return;
        }
        append(in, from, to);
        if (size > maxEvent) {
            giveUpHolding(out);
        }
    }

    private void giveUpHolding(Sink out) {
        begin(out);
        ByteBuffer all = ByteBuffer.wrap(held, 0, size);
        if (finder.in(all, 0, size)) {
            throw refuse("An event is too long to be judged.");
        }
        out.write(all);
        passing = true;
        held = Arrays.copyOfRange(held, size - Math.min(size, ListNameFinder.LENGTH), size);
        size = held.length;
    }

    private void pass(ByteBuffer in, int from, int to, Sink out) {
        int beginning = Math.min(to - from, ListNameFinder.LENGTH);
        append(in, from, from + beginning);
        if (finder.in(ByteBuffer.wrap(held, 0, size), 0, size) || finder.in(in, from, to)) {
            throw refuse("An event is too long to be judged.");
        }
        out.forward(from, to - from);
        byte[] seen = Arrays.copyOf(held, size);
        if (to - from > ListNameFinder.LENGTH) {
            seen = new byte[ListNameFinder.LENGTH];
            in.get(to - ListNameFinder.LENGTH, seen);
        }
        int tail = Math.min(seen.length, ListNameFinder.LENGTH);
        held = Arrays.copyOfRange(seen, seen.length - tail, seen.length);
        size = held.length;
    }

    private void append(ByteBuffer in, int from, int to) {
        int length = to - from;
        if (held.length - size < length) {
            held = Arrays.copyOf(held, Math.max(size + length, Math.max(FIRST_BYTES, held.length * 2)));
        }
        in.get(from, held, size, length);
        size += length;
    }

    /** A whole event, of which nothing has been passed on. */
    private void write(byte[] bytes, Sink out) {
        begin(out);
        byte[] edited = edited(bytes);
        changed |= edited != null;
        byte[] event = edited == null ? bytes : edited;
        swallow = edited != null && bytes[bytes.length - 1] == '\r';
        if (event.length > 0) {
            out.write(ByteBuffer.wrap(event));
        }
    }

    /** The replacement of an event; null when it stays unchanged. */
    private byte @Nullable [] edited(byte[] bytes) {
        if (!finder.in(ByteBuffer.wrap(bytes), 0, bytes.length)) {
            return null;
        }
        Event event = new Event(bytes);
        byte[] data = event.data();
        if (event.hidesLines()) {
            throw refuse("An event has line breaks that only some clients honour.");
        }
        if (JsonDetector.of(data) != JsonDetector.Guess.JSON) {
            return null;
        }
        try {
            byte[] filtered = filter.filter(data);
            exchange.trail().tell();
            if (filtered == null) {
                return null;
            }
            return filtered.length == 0 ? EMPTY : event.with(filtered);
        } catch (UnreadableException e) {
            throw refuse(e.detail());
        }
    }

    private void begin(Sink out) {
        if (!begun) {
            begun = true;
            if (prologue.length > 0) {
                changed = true;
                out.write(ByteBuffer.wrap(prologue));
                prologue = EMPTY;
            }
        }
    }

    private LateRejectException refuse(String detail) {
        return ResponseJudge.late(detail, exchange);
    }

    /**
     * The end of the first event, after its empty line; -1 when it is not there.
     *
     * @param start where the event begins in the buffer
     * @param before how many bytes of {@code held} precede it
     */
    private int firstEnd(ByteBuffer in, int start, int from, int to, int before) {
        for (int i = nextBreak(in, from, to); i < to; i = nextBreak(in, i + 1, to)) {
            if (endsAt(in, i, start, before)) {
                byte b = in.get(i);
                boolean crlf = b == '\r' && i + 1 < to && in.get(i + 1) == '\n';
                return crlf ? i + 2 : i + 1;
            }
        }
        return -1;
    }

    /** The index of the next line feed or carriage return, or {@code to}; eight bytes at a time. */
    private static int nextBreak(ByteBuffer in, int from, int to) {
        int i = from;
        while (i + Long.BYTES <= to) {
            long eight = in.getLong(i);
            long lf = eight ^ LINE_FEEDS;
            long cr = eight ^ CARRIAGE_RETURNS;
            long found = ((lf - ONES) & ~lf) | ((cr - ONES) & ~cr);
            if ((found & HIGH_BITS) != 0) {
                break;
            }
            i += Long.BYTES;
        }
        while (i < to && in.get(i) != '\n' && in.get(i) != '\r') {
            i++;
        }
        return i;
    }

    /** The end of the last complete event after {@code start}; {@code start} when there is none. */
    private int lastEnd(ByteBuffer in, int start, int to) {
        for (int i = to - 1; i >= start; i--) {
            byte b = in.get(i);
            if ((b == '\n' || b == '\r') && endsAt(in, i, start, 0)) {
                return i + 1;
            }
        }
        return start;
    }

    /** Whether the line break at {@code i} ends an empty line. */
    private boolean endsAt(ByteBuffer in, int i, int start, int before) {
        byte b = in.get(i);
        int previous = byteAt(in, i - 1, start, before);
        if (b == '\n' && previous == '\r') {
            int third = byteAt(in, i - 2, start, before);
            return third == '\n' || third == '\r' || (third < 0 && !passing);
        }
        return previous == '\n' || previous == '\r' || (previous < 0 && !passing);
    }

    private int byteAt(ByteBuffer in, int i, int start, int before) {
        if (i >= start) {
            return in.get(i);
        }
        int inHeld = before - (start - i);
        return inHeld >= 0 ? held[inHeld] : -1;
    }
}
