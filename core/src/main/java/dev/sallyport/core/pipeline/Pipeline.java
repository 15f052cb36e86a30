package dev.sallyport.core.pipeline;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running generation. An exchange takes it once, when it begins. Thread-safe. */
public final class Pipeline implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private volatile @Nullable Generation current;

    /** The generation for exchanges that begin now; null before the first one and after {@link #close}. */
    public @Nullable Generation current() {
        return current;
    }

    /** Makes {@code next} the running generation atomically and retires the previous one. */
    public synchronized void swap(Generation next) {
        Generation before = current;
        current = next;
        if (before != null) {
            before.retire();
        }
    }

    /** Closes a generation that never came into force. */
    public void discard(Generation unused) {
        unused.retire();
    }

    /** Retires the running generation and waits until its transforms are closed; nothing can begin afterwards. */
    @Override
    public void close() {
        close(CLOSE_LIMIT);
    }

    /** As {@link #close()}, with another limit on the wait. */
    public synchronized void close(Duration limit) {
        Generation before = current;
        current = null;
        if (before == null) {
            return;
        }
        try {
            before.retire().toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the transforms of generation {} are still in use", before.number());
        }
    }
}
