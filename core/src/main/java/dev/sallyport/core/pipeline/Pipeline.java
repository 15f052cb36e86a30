package dev.sallyport.core.pipeline;

import org.jspecify.annotations.Nullable;

/** The running generation. Exchanges take it once, at their beginning. Thread-safe. */
public final class Pipeline {

    private volatile @Nullable Generation current;

    /** The generation for exchanges that begin now, or null before the first one and after {@link #close}. */
    public @Nullable Generation current() {
        return current;
    }

    /** Puts {@code next} in place in one move and retires the one before. */
    public synchronized void swap(Generation next) {
        Generation before = current;
        current = next;
        if (before != null) {
            before.retire();
        }
    }

    /** Retires the running generation; nothing can begin afterwards. */
    public synchronized void close() {
        Generation before = current;
        current = null;
        if (before != null) {
            before.retire();
        }
    }
}
