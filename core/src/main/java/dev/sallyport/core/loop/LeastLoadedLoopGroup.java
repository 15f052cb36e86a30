package dev.sallyport.core.loop;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Event loops of which {@link #next} is the one with the fewest channels. A loop counts a channel only when it
 * registers it; until then the choice itself counts, so that a burst of connections does not go to one loop.
 */
final class LeastLoadedLoopGroup extends MultiThreadIoEventLoopGroup {

    LeastLoadedLoopGroup(int loops, Executor executor, IoHandlerFactory io) {
        super(loops, executor, new FewestChannels(), io);
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory io, Object... arguments) {
        return new Loop(this, executor, io);
    }

    /**
     * Closes every channel and waits until their pipelines have been notified; returns false when a loop did not finish
     * in time. Netty does so itself when it shuts a loop down, but a loop that is shut down while it runs its tasks may
     * end without (4.2.18).
     */
    boolean closeChannels(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        List<Future<?>> told = new ArrayList<>();
        for (EventExecutor loop : this) {
            loop.execute(((Loop) loop)::closeChannels);
            told.add(loop.submit(() -> {}));
        }
        boolean all = true;
        for (Future<?> each : told) {
            all &= each.awaitUninterruptibly(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        return all;
    }

    /** A loop that counts its channels; its base class no longer does. */
    static final class Loop extends SingleThreadIoEventLoop {

        private final AtomicInteger chosen = new AtomicInteger();

        /** A task that is due already is run in the next pass, after the sockets; one that is executed might not be. */
        private final Turns turns = new Turns(task -> schedule(task, 0, TimeUnit.NANOSECONDS), System::nanoTime);

        private final Ticks ticks = new Ticks(this);

        Loop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory io) {
            super(parent, executor, io);
        }

        Turns turns() {
            return turns;
        }

        Ticks ticks() {
            return ticks;
        }

        int load() {
            return getNumOfRegisteredChannels() + chosen.get();
        }

        void closeChannels() {
            ioHandler().prepareToDestroy();
        }

        Loop choose() {
            if (!isShuttingDown()) {
                chosen.incrementAndGet();
                execute(chosen::decrementAndGet);
            }
            return this;
        }
    }

    private static final class FewestChannels implements EventExecutorChooserFactory {

        @Override
        public EventExecutorChooser newChooser(EventExecutor[] executors) {
            AtomicInteger turn = new AtomicInteger();
            return () -> choose(executors, turn.getAndIncrement() & Integer.MAX_VALUE);
        }

        /** Chooses loops with equal counts in turn. */
        private static EventExecutor choose(EventExecutor[] loops, int first) {
            Loop best = (Loop) loops[first % loops.length];
            for (int i = 1; i < loops.length; i++) {
                Loop loop = (Loop) loops[(first + i) % loops.length];
                if (loop.load() < best.load()) {
                    best = loop;
                }
            }
            return best.choose();
        }
    }
}
