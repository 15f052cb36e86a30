package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCalls;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Work on a thread of its own, which may change what a thread has for itself, such as its namespaces: none comes back from
 * them, it ends with the work.
 */
public final class Apart {

    private Apart() {}

    /** What is done. */
    public interface Work<T> {

        /**
         * Does it.
         *
         * @param calls those of this thread
         */
        T with(SystemCalls calls) throws IOException;
    }

    /**
     * Does it, and waits for its end even when interrupted: nothing of it goes on when this returns.
     *
     * @param name what the thread is called
     */
    public static <T> T call(String name, Work<T> work) throws IOException {
        FutureTask<T> task = new FutureTask<>(() -> work.with(Calls.open()));
        Thread.ofPlatform().name("sandboxd-" + name).start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
