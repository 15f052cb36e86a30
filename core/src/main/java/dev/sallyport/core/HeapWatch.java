package dev.sallyport.core;

import dev.sallyport.core.meter.HeapExhaustion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the listeners of a proxy once the heap of its process has been exhausted, since any code may have been hit.
 * One thread runs it repeatedly; it needs no heap as long as there is nothing to do.
 */
final class HeapWatch implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);
    private static final long MIB = 1 << 20;

    private final int before = HeapExhaustion.times();
    private final Runnable close;
    private volatile boolean closed;

    /** @param close closes the listeners; called again when it fails */
    HeapWatch(Runnable close) {
        this.close = close;
    }

    /** Whether the heap has been exhausted since the start. */
    boolean exhausted() {
        return HeapExhaustion.times() != before;
    }

    @Override
    public void run() {
        if (closed || !exhausted()) {
            return;
        }
        try {
            close.run();
            LOG.error(
                    "the heap of this process ({} MiB) was exhausted: its listeners are closed for good, running exchanges"
                            + " may end (expected: a new process, with a larger heap or smaller proxy.limits)",
                    Runtime.getRuntime().maxMemory() / MIB);
            closed = true;
        } catch (OutOfMemoryError e) {
            HeapExhaustion.note(e); // no heap even for that: retried at the next turn
        }
    }
}
