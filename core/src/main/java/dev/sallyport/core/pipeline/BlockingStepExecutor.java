package dev.sallyport.core.pipeline;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking steps, each on a virtual thread of its own, up to a process-wide limit. Thread-safe.
 */
public final class BlockingStepExecutor {

    private final int limit;
    private final Semaphore places;
    private final LongAdder refusals = new LongAdder();
    private final Thread.Builder.OfVirtual threads = Thread.ofVirtual().name("sallyport-step-", 0);

    /** @param limit how many steps may run at once in the whole process */
    public BlockingStepExecutor(int limit) {
        this.limit = limit;
        places = new Semaphore(limit);
    }

    /** How many steps may run at once. */
    public int limit() {
        return limit;
    }

    /** How many steps run now. */
    public int running() {
        return limit - places.availablePermits();
    }

    /** How many steps found no place so far. */
    public long refusals() {
        return refusals.sum();
    }

    /**
     * Starts a step; cancelling the future interrupts it. When the limit is reached, the returned future has already
     * failed.
     *
     */
    <D> CompletableFuture<D> start(Callable<D> step) {
        if (!places.tryAcquire()) {
            refusals.increment();
            return CompletableFuture.failedFuture(StageException.overloaded("all places for blocking steps are taken"));
        }
        BlockingCall<D> call = new BlockingCall<>();
        call.thread = threads.unstarted(() -> {
            @Nullable D result = null;
            @Nullable Throwable failure = null;
            try {
                result = step.call();
            } catch (Throwable thrown) {
                failure = thrown;
            }
            // The place is freed first: whoever receives the result may ask for one at once.
            places.release();
            if (failure == null) {
                call.complete(result);
            } else {
                call.completeExceptionally(failure);
            }
        });
        call.thread.start();
        return call;
    }

    private static final class BlockingCall<D> extends CompletableFuture<D> {

        private Thread thread = Thread.currentThread();

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && mayInterruptIfRunning) {
                thread.interrupt();
            }
            return cancelled;
        }
    }
}
