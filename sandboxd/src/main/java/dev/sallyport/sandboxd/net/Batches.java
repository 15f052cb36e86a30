package dev.sallyport.sandboxd.net;

import dev.sallyport.sandboxd.system.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Does something for several at once that takes nearly as long for one: what is asked for while it is being done is done next,
 * together. In the order in which it was asked for; all that was done together fails together. For any number of threads.
 */
final class Batches<T> {

    /** What is done. */
    interface Work<T> {

        /** For all of these, in this order. On a thread of its own, one batch at a time. */
        void on(List<T> all) throws CommandException, InterruptedException;
    }

    private record Waiting<T>(T asked, CompletableFuture<Void> done) {}

    private final Work<T> work;
    private List<Waiting<T>> next = new ArrayList<>();
    private boolean busy;

    Batches(Work<T> work) {
        this.work = work;
    }

    /**
     * Asks, and waits until it is done. Who is interrupted no longer waits, but it is done all the same.
     *
     * @throws CommandException when the batch failed
     */
    void add(T asked) throws CommandException, InterruptedException {
        Waiting<T> mine = new Waiting<>(asked, new CompletableFuture<>());
        synchronized (this) {
            next.add(mine);
            if (!busy) {
                busy = true;
                Thread.ofVirtual().name("sandboxd-batch").start(this::run);
            }
        }
        try {
            mine.done().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CommandException failure) {
                throw failure.again();
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private void run() {
        for (List<Waiting<T>> batch = take(); !batch.isEmpty(); batch = take()) {
            try {
                work.on(batch.stream().map(Waiting::asked).toList());
                batch.forEach(one -> one.done().complete(null));
            } catch (CommandException | InterruptedException | RuntimeException | Error e) {
                batch.forEach(one -> one.done().completeExceptionally(e));
            }
        }
    }

    /** How many wait for the next batch. */
    synchronized int waiting() {
        return next.size();
    }

    private synchronized List<Waiting<T>> take() {
        List<Waiting<T>> batch = next;
        next = new ArrayList<>();
        busy = !batch.isEmpty();
        return batch;
    }
}
