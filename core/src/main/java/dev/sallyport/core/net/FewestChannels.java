package dev.sallyport.core.net;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses the loop with the fewest channels. A loop counts a channel only when it gets to register it; until then the
 * choice itself counts, or a burst of connections would all go to one loop.
 */
final class FewestChannels implements EventExecutorChooserFactory {

    @Override
    public EventExecutorChooser newChooser(EventExecutor[] executors) {
        Slot[] slots = new Slot[executors.length];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot((SingleThreadEventLoop) executors[i]);
        }
        AtomicInteger turn = new AtomicInteger();
        return () -> choose(slots, turn.getAndIncrement() & Integer.MAX_VALUE);
    }

    private static EventExecutor choose(Slot[] slots, int first) {
        Slot best = slots[first % slots.length];
        for (int i = 1; i < slots.length; i++) {
            Slot slot = slots[(first + i) % slots.length];
            if (slot.load() < best.load()) {
                best = slot;
            }
        }
        return best.choose();
    }

    private static final class Slot implements Runnable {

        private final SingleThreadEventLoop loop;
        private final AtomicInteger chosen = new AtomicInteger();

        Slot(SingleThreadEventLoop loop) {
            this.loop = loop;
        }

        int load() {
            return loop.registeredChannels() + chosen.get();
        }

        SingleThreadEventLoop choose() {
            if (!loop.isShuttingDown()) {
                chosen.incrementAndGet();
                loop.execute(this);
            }
            return loop;
        }

        @Override
        public void run() {
            chosen.decrementAndGet();
        }
    }
}
