package dev.sallyport.core.secret;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Timers whose time passes only when a test says so. Tasks run on the thread that lets it pass.
 * Thread-safe.
 */
final class ManualTimers extends AbstractExecutorService implements ScheduledExecutorService {

    private final List<Task> tasks = new ArrayList<>();
    private long now;
    private long sequence;

    /** Lets time pass and runs what falls due, in order. */
    synchronized void advance(long millis) {
        long until = now + millis;
        for (Task next = due(until); next != null; next = due(until)) {
            now = next.at;
            tasks.remove(next);
            next.run();
        }
        now = until;
    }

    private Task due(long until) {
        return tasks.stream()
                .filter(task -> task.at <= until)
                .min(Comparator.<Task>comparingLong(task -> task.at).thenComparingLong(task -> task.order))
                .orElse(null);
    }

    /** How long until the next task, or -1. */
    synchronized long next() {
        return tasks.stream().mapToLong(task -> task.at - now).min().orElse(-1);
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Task task = new Task(command, now + unit.toMillis(delay));
        tasks.add(task);
        return task;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable command) {
        command.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {

        private final long at;
        private final long order = sequence++;

        Task(Runnable command, long at) {
            super(command, null);
            this.at = at;
        }

        @Override
        public boolean cancel(boolean interrupt) {
            synchronized (ManualTimers.this) {
                tasks.remove(this);
            }
            return super.cancel(interrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - now, TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.MILLISECONDS), other.getDelay(TimeUnit.MILLISECONDS));
        }
    }
}
