package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A timer that is set and cleared for every exchange but scheduled only occasionally: setting it to a time after that
 * of the scheduled task costs two fields. On one loop.
 */
final class LazyTimer implements Runnable {

    private final EventLoop loop;
    private final Runnable expired;
    private @Nullable ScheduledFuture<?> scheduled;
    private long scheduledFor;
    private long deadline;
    private boolean set;

    LazyTimer(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    void set(Duration delay) {
        set(System.nanoTime(), delay.toNanos());
    }

    /** @param now the current {@link System#nanoTime} */
    void set(long now, long delayNanos) {
        set = true;
        deadline = now + delayNanos;
        ScheduledFuture<?> task = scheduled;
        if (task != null && scheduledFor - deadline > 0) {
            task.cancel(false);
            task = null;
        }
        if (task == null) {
            schedule(now);
        }
    }

    void clear() {
        set = false;
    }

    /** Clears the timer for good, so that it no longer references its owner. */
    void cancel() {
        set = false;
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            task.cancel(false);
            scheduled = null;
        }
    }

    @Override
    public void run() {
        scheduled = null;
        if (!set) {
            return;
        }
        long now = System.nanoTime();
        if (deadline - now > 0) {
            schedule(now);
        } else {
            set = false;
            expired.run();
        }
    }

    private void schedule(long now) {
        scheduledFor = deadline;
        scheduled = loop.schedule(this, deadline - now, TimeUnit.NANOSECONDS);
    }
}
