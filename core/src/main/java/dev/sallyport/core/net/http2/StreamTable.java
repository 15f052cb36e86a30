package dev.sallyport.core.net.http2;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one HTTP/2 connection: those in progress, and what is still known of the last ones that were (RFC 9113,
 * 5.1). On the connection's loop.
 */
final class StreamTable {

    /** How many closed streams are remembered. */
    private static final int MEMORY = 128;

    /** What became of a stream that is not in progress. */
    enum Past {
        /** Never used: it is too new, or was skipped. */
        IDLE,
        /** Both sides ended it, or the client reset it. */
        CLOSED,
        /** It was reset here: what the client had already sent may still come. */
        RESET
    }

    private final IntObjectMap<ClientHttp2Stream> open = new IntObjectHashMap<>(4);

    /** Numbers of closed streams, negative when they were reset here; the oldest is overwritten. */
    private final int[] closed = new int[MEMORY];

    private int next;
    private int last;

    @Nullable ClientHttp2Stream get(int stream) {
        return open.get(stream);
    }

    void add(ClientHttp2Stream exchange) {
        open.put(exchange.stream(), exchange);
    }

    /** Takes a stream out of those in progress. */
    void close(int stream, boolean resetHere) {
        open.remove(stream);
        remember(stream, resetHere);
    }

    /** Remembers a stream that never was in progress. */
    void remember(int stream, boolean resetHere) {
        closed[next] = resetHere ? -stream : stream;
        next = (next + 1) % MEMORY;
    }

    Past past(int stream) {
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

    /** The highest number that a client has used. */
    int last() {
        return last;
    }

    void last(int stream) {
        last = stream;
    }

    int size() {
        return open.size();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Those in progress, as they are now: they may end while a caller goes through them. */
    Collection<ClientHttp2Stream> snapshot() {
        List<ClientHttp2Stream> all = new ArrayList<>(open.size());
        all.addAll(open.values());
        return all;
    }
}
