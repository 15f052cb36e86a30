package dev.sallyport.core.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that is moved often and reached seldom: moving it later touches no timer queue and allocates nothing. On
 * one event loop.
 *
 * <p>A loop that was busy past the deadline looks at its sockets once more before the action runs: what the peer sent in
 * time may be waiting there.
 */
public final class Deadline implements Runnable {

    /** A timer that is later than this was held up by its loop. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** At least one pass over the sockets lies between a timer and the next one, however short. */
    private static final long REPRIEVE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final EventLoop loop;
    private final Runnable action;
    private boolean armed;
    private boolean reprieved;
    private long due;
    private @Nullable Future<?> timer;
    private long timerDue;

    public Deadline(EventLoop loop, Runnable action) {
        this.loop = loop;
        this.action = action;
    }

    /** Runs the action after this time, unless moved or cleared first. */
    public void in(Duration time) {
        in(System.nanoTime(), time.toNanos());
    }

    /**
     * The same for callers that have read the clock.
     *
     * @param now the current {@link System#nanoTime}
     * @param nanos the time from then on, in nanoseconds
     */
    public void in(long now, long nanos) {
        due = now + nanos;
        armed = true;
        reprieved = false;
        Future<?> scheduled = timer;
        if (scheduled == null) {
            schedule(due, nanos);
        } else if (due - timerDue < 0) {
            scheduled.cancel(false);
            schedule(due, nanos);
        }
    }

    /** Clears the deadline: nothing runs until it is set again. */
    public void clear() {
        armed = false;
    }

    /** Clears the deadline for good and releases the timer, which otherwise references the owner of the action. */
    public void cancel() {
        armed = false;
        Future<?> scheduled = timer;
        if (scheduled != null) {
            scheduled.cancel(false);
            timer = null;
        }
    }

    private void schedule(long at, long nanos) {
        timerDue = at;
        timer = loop.schedule(this, nanos, TimeUnit.NANOSECONDS);
    }

    /** The timer's task; for the loop alone. */
    @Override
    public void run() {
        timer = null;
        if (!armed) {
            return;
        }
        long now = System.nanoTime();
        long rest = due - now;
        if (rest > 0) {
            schedule(due, rest);
        } else if (-rest > LATE_NANOS && !reprieved) {
            reprieved = true;
            schedule(now + REPRIEVE_NANOS, REPRIEVE_NANOS);
        } else {
            armed = false;
            action.run();
        }
    }
}
