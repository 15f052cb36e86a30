package dev.sallyport.core.exchange;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes long-lasting exchanges return their audit slots: an event stream, a long poll or a slow transfer holds none for
 * longer than two periods, or enough of them would stop all traffic. Costs an exchange two links in the list of its
 * loop, and a loop one timer a period.
 */
public final class AuditSlotReclaimer {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final long period;
    private final FastThreadLocal<OnLoop> lists = new FastThreadLocal<>();

    /** Makes a reclaimer with the production period. */
    public AuditSlotReclaimer() {
        this(PERIOD);
    }

    AuditSlotReclaimer(Duration period) {
        this.period = period.toNanos();
    }

    /** Registers an exchange that now holds a slot. */
    void add(EventLoop loop, ExchangeRecorder recorder) {
        OnLoop list = lists.get();
        if (list == null) {
            list = new OnLoop(loop, period);
            lists.set(list);
        }
        list.add(recorder);
    }

    /** Removes an exchange that no longer holds a slot. */
    void remove(ExchangeRecorder recorder) {
        OnLoop list = lists.get();
        if (list != null) {
            list.remove(recorder);
        }
    }

    /** The exchanges of one loop, oldest first. */
    private static final class OnLoop {

        private final EventLoop loop;
        private final long period;
        private @Nullable ExchangeRecorder oldest;
        private @Nullable ExchangeRecorder youngest;
        private @Nullable Future<?> timer;

        OnLoop(EventLoop loop, long period) {
            this.loop = loop;
            this.period = period;
        }

        void add(ExchangeRecorder recorder) {
            recorder.older = youngest;
            if (youngest == null) {
                oldest = recorder;
            } else {
                youngest.younger = recorder;
            }
            youngest = recorder;
            if (timer == null) {
                timer = loop.schedule(this::look, period, TimeUnit.NANOSECONDS);
            }
        }

        void remove(ExchangeRecorder recorder) {
            ExchangeRecorder before = recorder.older;
            ExchangeRecorder after = recorder.younger;
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
            recorder.older = null;
            recorder.younger = null;
        }

        private void look() {
            timer = null;
            long now = System.nanoTime();
            for (ExchangeRecorder next = oldest; next != null && next.age(now) >= period; next = oldest) {
                next.settleDown();
            }
            if (oldest != null) {
                timer = loop.schedule(this::look, period, TimeUnit.NANOSECONDS);
            }
        }
    }
}
