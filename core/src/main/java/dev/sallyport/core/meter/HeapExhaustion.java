package dev.sallyport.core.meter;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps count of how often this process had no heap left. The heap is the process's, and so is the count: whoever catches a
 * failure notes it here, and whoever has listeners looks whether it has grown. Thread-safe; allocates nothing.
 */
public final class HeapExhaustion {

    /** What the JVM says when memory that it manages itself is used up: nobody can tell whom that has hit. */
    private static final String[] HEAP = {
        "Java heap space", "GC overhead limit exceeded", "Metaspace", "Compressed class space"
    };

    private static final int DEEPEST = 8;
    private static final AtomicInteger TIMES = new AtomicInteger();

    private HeapExhaustion() {}

    /** Counts a failure if it, or what caused it, is that of the heap. */
    public static void note(@Nullable Throwable failure) {
        OutOfMemoryError error = memory(failure);
        if (error != null && isHeap(error)) {
            TIMES.incrementAndGet();
        }
    }

    /**
     * The lack of memory that a failure is or comes from, or null. Other memory than the heap (direct buffers, threads, an
     * array beyond all measure) concerns those only who asked for it.
     */
    public static @Nullable OutOfMemoryError memory(@Nullable Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < DEEPEST && cause != null; i++) {
            if (cause instanceof OutOfMemoryError error) {
                return error;
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** How often it has happened so far. */
    public static int times() {
        return TIMES.get();
    }

    private static boolean isHeap(OutOfMemoryError error) {
        String message = error.getMessage();
        if (message != null) {
            for (String heap : HEAP) {
                if (message.startsWith(heap)) {
                    return true;
                }
            }
        }
        return false;
    }
}
