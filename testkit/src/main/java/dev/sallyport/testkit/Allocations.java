package dev.sallyport.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts what a piece of code allocates on the calling thread. */
public final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CALLS = 5_000;

    private Allocations() {}

    /** Bytes for each call, rounded down, after as many calls to warm up. */
    public static long bytesPerCall(Runnable code) {
        repeat(code);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        repeat(code);
        return (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }

    private static void repeat(Runnable code) {
        for (int i = 0; i < CALLS; i++) {
            code.run();
        }
    }
}
