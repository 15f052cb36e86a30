package dev.sallyport.core;

import dev.sallyport.core.loop.Turns;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.RunningTransform;
import dev.sallyport.spi.Meters;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects blocked event loops: asks each for a sign of life twice a second, and if there is none for a second, names
 * the transform and the stack. It counts its own turns, not seconds: a process that was suspended is not blocked.
 * Thread- safe.
 */
final class LoopWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LoopWatch.class);
    private static final int TURN_MILLIS = 500;
    private static final int BLOCKED = 2;
    private static final int FRAMES = 12;

    /** The label when no transform was running. */
    private static final String NOBODY = "none";

    private final List<Watched> loops = new CopyOnWriteArrayList<>();
    private final List<Runnable> chores = new CopyOnWriteArrayList<>();
    private final Meters.Family<Meters.Counter> blocked;
    private final Meters.Timer delays;
    private final Meters.Timer turns;
    private final Thread thread;

    LoopWatch(MeterRegistry meters) {
        blocked = meters.counter(
                "loop.blocked",
                "Times that an event loop was blocked for a second, by the blocking transform.",
                "transform");
        blocked.of(NOBODY); // shown before it happens
        delays = meters.timer("loop.delay.duration", "How long a task waited for its event loop, asked twice a second.")
                .of();
        turns = meters.timer(
                        "loop.turn.duration",
                        "How long a connection, stream, message or body held its event loop in one turn.")
                .of();
        thread = Thread.ofPlatform().daemon().name("sallyport-watch").start(this::watch);
    }

    /**
     * Watches a loop from now on, until it rejects tasks.
     *
     * @param name the name for messages, until that of its thread is known
     * @param mark the mark of the transform that it is running, if it keeps one
     */
    void add(String name, Executor loop, @Nullable RunningTransform mark) {
        Watched watched = new Watched(name, loop, mark);
        if (loop instanceof EventExecutor shared) {
            Turns.of(shared).report(nanos -> turns.record(Duration.ofNanos(nanos)));
        }
        watched.ask(); // At once, so that its thread is known however soon it is blocked.
        loops.add(watched);
    }

    /** Runs this at every turn, too; it must neither block for long nor throw. */
    void eachTurn(Runnable chore) {
        chores.add(chore);
    }

    /** Interrupts blocking code: code that sleeps or waits returns. Returns whether any loop was blocked. */
    boolean interrupt() {
        List<Watched> found = found();
        found.forEach(Watched::interrupt);
        return !found.isEmpty();
    }

    /** The loops that are blocked now, with their stacks; empty when none is. */
    String report() {
        return found().stream().map(Watched::where).collect(Collectors.joining("; "));
    }

    private List<Watched> found() {
        return loops.stream().filter(Watched::isBlocked).toList();
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(TURN_MILLIS);
                turn();
            }
        } catch (InterruptedException e) {
            LOG.debug("loops are watched no longer");
        }
    }

    private void turn() {
        try {
            chores.forEach(Runnable::run);
            loops.removeIf(loop -> !loop.turn());
        } catch (OutOfMemoryError e) {
            HeapExhaustion.note(e); // retried at the next turn
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    /** One loop. As a task it is the sign of life. */
    private final class Watched implements Runnable {

        private final String name;
        private final Executor loop;
        private final @Nullable RunningTransform mark;
        private volatile boolean alive = true;
        private volatile long askedAt;
        private volatile @Nullable Thread runner;
        private volatile int missed;

        Watched(String name, Executor loop, @Nullable RunningTransform mark) {
            this.name = name;
            this.loop = loop;
            this.mark = mark;
        }

        @Override
        public void run() {
            runner = Thread.currentThread();
            delays.record(Duration.ofNanos(System.nanoTime() - askedAt));
            alive = true;
        }

        boolean isBlocked() {
            return missed >= BLOCKED;
        }

        /** One check, on the watching thread; returns false when the loop has ended. */
        boolean turn() {
            if (alive) {
                return back();
            }
            int turns = missed + 1;
            missed = turns;
            if (turns == BLOCKED) {
                blocked.of(transform()).increment();
            }
            // After 1, 2, 4, 8... seconds.
            if (turns >= BLOCKED && Integer.bitCount(turns) == 1) {
                LOG.warn("{} (for {} s)", where(), turns * TURN_MILLIS / 1000);
            }
            return true;
        }

        private boolean back() {
            if (isBlocked()) {
                LOG.warn("event loop {} continues after {} s", shownName(), missed * TURN_MILLIS / 1000);
            }
            missed = 0;
            return ask();
        }

        /** Asks for a sign of life; returns false when the loop has ended. */
        boolean ask() {
            alive = false;
            askedAt = System.nanoTime();
            try {
                loop.execute(this);
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }

        void interrupt() {
            Thread known = runner;
            if (known != null) {
                known.interrupt();
            }
        }

        private String shownName() {
            Thread known = runner;
            return known == null ? name : known.getName();
        }

        private String transform() {
            String running = mark == null ? null : mark.transform();
            return running == null ? NOBODY : running;
        }

        String where() {
            String running = transform();
            StringBuilder text =
                    new StringBuilder("event loop ").append(shownName()).append(" is blocked");
            if (!running.equals(NOBODY)) {
                text.append(" by transform ").append(running);
            }
            Thread known = runner;
            StackTraceElement[] frames = known == null ? new StackTraceElement[0] : known.getStackTrace();
            for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                text.append(i == 0 ? " at " : " < ").append(frames[i]);
            }
            return text.toString();
        }
    }
}
