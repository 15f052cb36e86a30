package dev.sallyport.core.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks of one event loop after a tick of 25 ms, give or take an eighth. All tasks share one timer: a timer for each
 * response, which nearly always ends first, would be a good part of what a short one costs. Confined to the loop.
 */
public final class Ticks implements Executor {

    static final long NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** What is due within so much time is run together. */
    static final long GRAIN = NANOS / 8;

    private final EventExecutor loop;

    /** In order, since all wait for as long. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private boolean planned;

    private record Waiting(Runnable task, long due) {}

    Ticks(EventExecutor loop) {
        this.loop = loop;
    }

    /** The ticks of this loop, which others share if it is one of {@link EventLoops}. */
    public static Ticks of(EventExecutor loop) {
        return loop instanceof LeastLoadedLoopGroup.Loop shared ? shared.ticks() : new Ticks(loop);
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(new Waiting(task, System.nanoTime() + NANOS));
        if (!planned) {
            plan(NANOS);
        }
    }

    private void plan(long nanos) {
        planned = true;
        loop.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
    }

    private void run() {
        planned = false;
        long until = System.nanoTime() + GRAIN;
        try {
            for (Waiting first = waiting.peek(); first != null && first.due - until <= 0; first = waiting.peek()) {
                waiting.remove();
                first.task.run();
            }
        } finally {
            Waiting first = waiting.peek();
            if (first != null && !planned) {
                plan(Math.max(GRAIN, first.due - System.nanoTime()));
            }
        }
    }
}
