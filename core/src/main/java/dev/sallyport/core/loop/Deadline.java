package dev.sallyport.core.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that is moved often and reached seldom: moving it later touches no timer queue. On one event loop.
 */
public final class Deadline {

    private final EventLoop loop;
    private final Runnable action;
    private boolean armed;
    private long due;
    private @Nullable Future<?> timer;
    private long timerDue;

    public Deadline(EventLoop loop, Runnable action) {
        this.loop = loop;
        this.action = action;
    }

    /** Runs the action after this time, unless moved or cleared first. */
    public void in(Duration time) {
        due = System.nanoTime() + time.toNanos();
        armed = true;
        if (timer == null) {
            schedule(time.toNanos());
        } else if (due - timerDue < 0) {
            timer.cancel(false);
            schedule(time.toNanos());
        }
    }

    /** Clears the deadline: nothing runs until it is set again. */
    public void clear() {
        armed = false;
    }

    /** Clears the deadline for good and releases the timer. */
    public void cancel() {
        armed = false;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void schedule(long nanos) {
        timerDue = due;
        timer = loop.schedule(this::ring, nanos, TimeUnit.NANOSECONDS);
    }

    private void ring() {
        timer = null;
        if (!armed) {
            return;
        }
        long rest = due - System.nanoTime();
        if (rest > 0) {
            schedule(rest);
        } else {
            armed = false;
            action.run();
        }
    }
}
