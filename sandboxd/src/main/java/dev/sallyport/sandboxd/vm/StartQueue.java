package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * Starts VMs, as many at the same time as there are processors for it and one more, since each waits for the kernel and for the
 * host's disk a part of the time; in the order in which they came: otherwise all of a burst were ready as late as the last one.
 * Thread-safe.
 */
final class StartQueue {

    private final Semaphore places = new Semaphore(Runtime.getRuntime().availableProcessors() + 1, true);

    interface Start {
        void run() throws VmException, IOException, WireException, CommandException, InterruptedException;
    }

    /** Waits for a place, and starts on this thread. */
    void run(Start start) throws VmException, IOException, WireException, CommandException, InterruptedException {
        places.acquire();
        try {
            start.run();
        } finally {
            places.release();
        }
    }
}
