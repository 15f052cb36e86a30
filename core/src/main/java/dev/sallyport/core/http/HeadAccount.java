package dev.sallyport.core.http;

import dev.sallyport.core.http.HeadBudget.Share;
import dev.sallyport.core.http.HeadBudget.Slice;

/**
 * The share of one connection in a {@link HeadBudget}. Used on its loop; after {@link #close} it takes and gives
 * nothing.
 */
public final class HeadAccount implements HeadMeter {

    private final Slice slice;
    private final Share share;
    private final int limit;
    private int held;
    private boolean closed;

    HeadAccount(Slice slice, Share share, int limit) {
        this.slice = slice;
        this.share = share;
        this.limit = limit;
    }

    @Override
    public Room take(int bytes) {
        if (closed || bytes > limit - held) {
            return Room.NOT_HERE;
        }
        if (!slice.take(share, bytes)) {
            return Room.NOWHERE;
        }
        held += bytes;
        return Room.ENOUGH;
    }

    @Override
    public void give(int bytes) {
        if (!closed && bytes != 0) {
            held -= bytes;
            slice.give(share, bytes);
        }
    }

    /** The bytes held. */
    public int held() {
        return held;
    }

    /** Returns everything. Idempotent. */
    public void close() {
        if (!closed) {
            give(held);
            closed = true;
            slice.close(share);
        }
    }
}
