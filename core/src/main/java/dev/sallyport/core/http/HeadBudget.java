package dev.sallyport.core.http;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A limit on the bytes of decoded heads held at one time, over all connections ({@code limits.buffered_head_bytes}).
 * Heads are charged as they grow, before they are processed. Loops take their share in portions, so that a head costs
 * an addition and no shared counter. Thread-safe; the accounts that it opens belong to one loop.
 */
public final class HeadBudget {

    /** The cost of a field beyond its characters: two strings and their place in a block. */
    public static final int FIELD_COST = 96;

    /** The cost of a request until its response has left, apart from its head. */
    public static final int EXCHANGE_COST = 1024;

    private static final int MOST_PORTION = 256 * 1024;

    /** A loop's share is divided into at least this many portions. */
    private static final int PORTIONS = 16;

    /** Every owner may hold this much on a loop, however little is free. */
    private static final int FLOOR = 64 * 1024;

    /** An owner holding more than this multiple of its fair share gets no more. */
    private static final int GREED = 4;

    private final AtomicLong taken = new AtomicLong();
    private final LongAdder refusals = new LongAdder();
    private final Map<Executor, Slice> slices = new ConcurrentHashMap<>();
    private volatile long limit;
    private volatile int connectionLimit;
    private volatile long portion;

    /**
     * A budget.
     *
     * @param limit for all connections together
     * @param connectionLimit for each of them
     */
    public HeadBudget(long limit, int connectionLimit) {
        limits(limit, connectionLimit);
    }

    /** A budget that is never used up. */
    public static HeadBudget unlimited() {
        return new HeadBudget(Long.MAX_VALUE / 2, Integer.MAX_VALUE);
    }

    /** Changes the limits; what is held stays, and open connections keep their own. */
    public void limits(long bytes, int ofEachConnection) {
        if (bytes < 0 || ofEachConnection < 0) {
            throw new IllegalArgumentException("limits: negative (expected: >= 0)");
        }
        limit = bytes;
        connectionLimit = ofEachConnection;
        divide();
    }

    private void divide() {
        portion = Math.min(MOST_PORTION, limit / PORTIONS / Math.max(1, slices.size()));
    }

    /** The limit in bytes. */
    public long limit() {
        return limit;
    }

    /** How much loops have taken of it, with what they keep at hand. */
    public long taken() {
        return taken.get();
    }

    /** How often there was no room, or not for this owner, so far. */
    public long refusals() {
        return refusals.sum();
    }

    /**
     * Opens an account for one connection, on its loop.
     *
     * @param owner the holder of the connection, who stays the same until it closes; all connections of one owner together
     *     cannot take everything
     */
    public HeadAccount open(Executor loop, Object owner) {
        Slice slice = slices.get(loop);
        if (slice == null) {
            slice = slices.computeIfAbsent(loop, ignored -> new Slice(this));
            divide();
        }
        return slice.open(owner, connectionLimit);
    }

    private boolean take(long bytes) {
        if (taken.addAndGet(bytes) <= limit) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /** The share of one loop; confined to it. */
    static final class Slice {

        private final HeadBudget budget;
        private final Map<Object, Share> shares = new HashMap<>();
        private long free;

        private Slice(HeadBudget budget) {
            this.budget = budget;
        }

        private HeadAccount open(Object owner, int limit) {
            Share share = shares.computeIfAbsent(owner, Share::new);
            share.accounts++;
            return new HeadAccount(this, share, limit);
        }

        void close(Share share) {
            if (--share.accounts == 0) {
                shares.remove(share.owner);
            }
        }

        boolean take(Share share, int bytes) {
            long would = share.held + bytes;
            if ((would > FLOOR && would / GREED > fair()) || (free < bytes && !refill(bytes))) {
                budget.refusals.increment();
                return false;
            }
            free -= bytes;
            share.held = would;
            return true;
        }

        /** An equal part, for each loop, of what is free. */
        private long fair() {
            long rest = Math.max(0, budget.limit - budget.taken.get()) + free;
            return rest / budget.slices.size();
        }

        private boolean refill(int bytes) {
            long portion = Math.max(budget.portion, bytes);
            if (budget.take(portion)) {
                free += portion;
                return true;
            }
            long missing = bytes - free;
            if (budget.take(missing)) {
                free += missing;
                return true;
            }
            return false;
        }

        void give(Share share, int bytes) {
            share.held -= bytes;
            free += bytes;
            long portion = budget.portion;
            if (free > 2 * portion) {
                budget.taken.addAndGet(portion - free);
                free = portion;
            }
        }
    }

    /** What one owner holds on one loop. */
    static final class Share {

        private final Object owner;
        private int accounts;
        private long held;

        private Share(Object owner) {
            this.owner = owner;
        }
    }
}
