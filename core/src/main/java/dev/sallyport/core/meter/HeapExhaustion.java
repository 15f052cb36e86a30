package dev.sallyport.core.meter;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts how often this process has run out of heap. The heap belongs to the process, and so does the count: code that
 * catches a failure notes it here, and the owner of listeners checks whether it has grown. Thread-safe; allocates
 * nothing.
 */
public final class HeapExhaustion {

    /** The JVM's messages when memory that it manages itself is used up: any code may have been hit. */
    private static final String[] HEAP = {
        "Java heap space", "GC overhead limit exceeded", "Metaspace", "Compressed class space"
    };

    private static final int DEEPEST = 8;
    private static final AtomicInteger TIMES = new AtomicInteger();

    private HeapExhaustion() {}

    /** Counts a failure if it, or its cause, is exhaustion of the heap. */
    public static void note(@Nullable Throwable failure) {
        OutOfMemoryError error = memory(failure);
        if (error != null && isHeap(error)) {
            TIMES.incrementAndGet();
        }
    }

    /**
     * The exhaustion of memory that a failure is or was caused by, or null. Exhaustion of other memory than the heap
     * (direct buffers, threads, an array beyond all measure) concerns only the code that asked for it.
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
