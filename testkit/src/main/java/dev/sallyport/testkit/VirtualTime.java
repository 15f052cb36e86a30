package dev.sallyport.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Time that advances only on a test's command. Tasks that become due run on the thread that advances the time, in the
 * order of their times. Thread-safe.
 */
public final class VirtualTime {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final Instant start;
    private final PriorityQueue<Task<?>> tasks = new PriorityQueue<>();
    private final ScheduledExecutorService scheduler = new Scheduler();
    private final Clock clock = new VirtualClock(ZoneOffset.UTC);
    private long nanos;
    private long sequence;

    /** Begins at 2030-01-01T00:00:00Z. */
    public VirtualTime() {
        this(START);
    }

    /** Begins at another moment. */
    public VirtualTime(Instant start) {
        this.start = start;
    }

    /** The clock that goes with this time. */
    public Clock clock() {
        return clock;
    }

    /** Timers that go with this time. */
    public ScheduledExecutorService scheduler() {
        return scheduler;
    }

    /** Advances the time and runs the tasks that become due. */
    public void advance(Duration by) {
        long until;
        synchronized (this) {
            until = nanos + by.toNanos();
        }
        for (Task<?> due = next(until); due != null; due = next(until)) {
            due.run();
        }
    }

    private synchronized @Nullable Task<?> next(long until) {
        Task<?> first = tasks.peek();
        if (first == null || first.at > until) {
            nanos = Math.max(nanos, until);
            return null;
        }
        tasks.remove();
        nanos = Math.max(nanos, first.at);
        return first;
    }

    private synchronized <V> Task<V> plan(Callable<V> work, long delayNanos, long periodNanos) {
        Task<V> task = new Task<>(work, nanos + Math.max(0, delayNanos), periodNanos, sequence++);
        tasks.add(task);
        return task;
    }

    private synchronized void planAgain(Task<?> task) {
        task.at = nanos + task.period;
        tasks.add(task);
    }

    private synchronized long now() {
        return nanos;
    }

    private synchronized void forget(Task<?> task) {
        tasks.remove(task);
    }

    private final class VirtualClock extends Clock {
        private final ZoneId zone;

        VirtualClock(ZoneId zone) {
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new VirtualClock(other);
        }

        @Override
        public Instant instant() {
            return start.plusNanos(now());
        }
    }

    private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
        private final long period;
        private final long order;
        private long at;

        Task(Callable<V> work, long at, long period, long order) {
            super(work);
            this.at = at;
            this.period = period;
            this.order = order;
        }

        @Override
        public void run() {
            if (period == 0) {
                super.run();
            } else if (runAndReset()) {
                planAgain(this);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            forget(this);
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean isPeriodic() {
            return period != 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - now(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Task<?> that = (Task<?>) other;
            return at == that.at ? Long.compare(order, that.order) : Long.compare(at, that.at);
        }
    }

    private final class Scheduler extends AbstractExecutorService implements ScheduledExecutorService {
        private volatile boolean shutDown;

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return plan(Executors.callable(command), unit.toNanos(delay), 0);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            return plan(callable, unit.toNanos(delay), 0);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long delay, long period, TimeUnit unit) {
            return plan(Executors.callable(command), unit.toNanos(delay), unit.toNanos(period));
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long delay, long pause, TimeUnit unit) {
            return plan(Executors.callable(command), unit.toNanos(delay), unit.toNanos(pause));
        }

        @Override
        public void execute(Runnable command) {
            plan(Executors.callable(command), 0, 0);
        }

        @Override
        public void shutdown() {
            shutDown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutDown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutDown;
        }

        @Override
        public boolean isTerminated() {
            return shutDown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return shutDown;
        }
    }
}
