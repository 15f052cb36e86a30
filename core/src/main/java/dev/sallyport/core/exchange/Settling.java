package dev.sallyport.core.exchange;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Has exchanges that last give their slots back: an event stream, a long poll or a slow transfer holds none for longer
 * than two periods, or enough of them would stop all traffic. Costs an exchange two links in the list of its loop, and a
 * loop one timer a period.
 */
public final class Settling {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final long period;
    private final FastThreadLocal<OnLoop> lists = new FastThreadLocal<>();

    /** With the period that holds outside of tests. */
    public Settling() {
        this(PERIOD);
    }

    Settling(Duration period) {
        this.period = period.toNanos();
    }

    /** An exchange holds a slot from now on. */
    void add(EventLoop loop, Ledger ledger) {
        OnLoop list = lists.get();
        if (list == null) {
            list = new OnLoop(loop, period);
            lists.set(list);
        }
        list.add(ledger);
    }

    /** Its slot is gone, one way or the other. */
    void remove(Ledger ledger) {
        OnLoop list = lists.get();
        if (list != null) {
            list.remove(ledger);
        }
    }

    /** The exchanges of one loop, oldest first. */
    private static final class OnLoop {

        private final EventLoop loop;
        private final long period;
        private @Nullable Ledger oldest;
        private @Nullable Ledger youngest;
        private @Nullable Future<?> timer;

        OnLoop(EventLoop loop, long period) {
            this.loop = loop;
            this.period = period;
        }

        void add(Ledger ledger) {
            ledger.older = youngest;
            if (youngest == null) {
                oldest = ledger;
            } else {
                youngest.younger = ledger;
            }
            youngest = ledger;
            if (timer == null) {
                timer = loop.schedule(this::look, period, TimeUnit.NANOSECONDS);
            }
        }

        void remove(Ledger ledger) {
            Ledger before = ledger.older;
            Ledger after = ledger.younger;
            if (before == null) {
                oldest = after;
            } else {
                before.younger = after;
            }
            if (after == null) {
                youngest = before;
            } else {
                after.older = before;
            }
            ledger.older = null;
            ledger.younger = null;
        }

        private void look() {
            timer = null;
            long now = System.nanoTime();
            for (Ledger next = oldest; next != null && next.age(now) >= period; next = oldest) {
                next.settleDown();
            }
            if (oldest != null) {
                timer = loop.schedule(this::look, period, TimeUnit.NANOSECONDS);
            }
        }
    }
}
