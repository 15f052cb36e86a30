package dev.sallyport.core.http2;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one HTTP/2 connection, all opened by the client: those in progress, and the fate of recently closed
 * ones (RFC 9113, 5.1). Confined to the connection's loop.
 *
 * @param <S> a stream in progress
 */
public final class StreamTable<S extends SendingStream> {

    /** How many closed streams are remembered. */
    private static final int MEMORY = 128;

    /** The fate of a stream that is not in progress. */
    public enum Past {
        /** Never used: its number is too high, or was skipped. */
        IDLE,
        /** Both sides ended it, or the peer reset it. */
        CLOSED,
        /** Reset here: frames that the peer had already sent may still arrive. */
        RESET
    }

    private final IntObjectMap<S> open = new IntObjectHashMap<>(4);

    /** Numbers of closed streams, negative when they were reset here; the oldest is overwritten. */
    private final int[] closed = new int[MEMORY];

    private int next;
    private int last;

    /** The stream in progress with this number, or null. */
    public @Nullable S get(int stream) {
        return open.get(stream);
    }

    /** Adds a stream in progress. */
    public void add(S stream) {
        open.put(stream.id(), stream);
    }

    /** Takes a stream out of those in progress. */
    public void close(int stream, boolean resetHere) {
        open.remove(stream);
        remember(stream, resetHere);
    }

    /** Remembers a stream that was never in progress. */
    public void remember(int stream, boolean resetHere) {
        closed[next] = resetHere ? -stream : stream;
        next = (next + 1) % MEMORY;
    }

    /** The fate of a stream that is not in progress. */
    public Past past(int stream) {
        if (stream > last || (stream & 1) == 0) {
            return Past.IDLE;
        }
        boolean forgotten = closed[next] != 0;
        int oldest = Integer.MAX_VALUE;
        for (int number : closed) {
            if (number == stream) {
                return Past.CLOSED;
            }
            if (number == -stream) {
                return Past.RESET;
            }
            oldest = Math.min(oldest, Math.abs(number));
        }
        return forgotten && stream < oldest ? Past.CLOSED : Past.IDLE;
    }

    /** The highest number used. */
    public int last() {
        return last;
    }

    /** A stream with this number has been opened. */
    public void last(int stream) {
        last = stream;
    }

    /** How many streams are in progress. */
    public int size() {
        return open.size();
    }

    /** Whether no stream is in progress. */
    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** A snapshot of those in progress, since they may end while a caller iterates. */
    public Collection<S> snapshot() {
        List<S> all = new ArrayList<>(open.size());
        all.addAll(open.values());
        return all;
    }
}
