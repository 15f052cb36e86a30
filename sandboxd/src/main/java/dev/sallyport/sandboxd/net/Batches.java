package dev.sallyport.sandboxd.net;

import dev.sallyport.sandboxd.system.CommandException;
import java.time.Duration;
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

    private record Waiting<T>(T asked, boolean patient, CompletableFuture<Void> done) {}

    private final Work<T> work;
    private final Duration pause;
    private List<Waiting<T>> next = new ArrayList<>();
    private boolean busy;
    private boolean pausing;

    /** Where everybody waits. */
    Batches(Work<T> work) {
        this(work, Duration.ZERO);
    }

    /**
     * Where not everybody waits.
     *
     * @param pause how long those who do not are collected
     */
    Batches(Work<T> work, Duration pause) {
        this.work = work;
        this.pause = pause;
    }

    /**
     * Asks, and waits until it is done. Who is interrupted no longer waits, but it is done all the same.
     *
     * @throws CommandException when the batch failed
     */
    void add(T asked) throws CommandException, InterruptedException {
        try {
            ask(asked).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CommandException failure) {
                throw failure.again();
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private synchronized CompletableFuture<Void> ask(T asked) {
        Waiting<T> mine = new Waiting<>(asked, false, new CompletableFuture<>());
        next.add(mine);
        begin();
        return mine.done();
    }

    private void begin() {
        if (!busy) {
            busy = true;
            Thread.ofVirtual().name("sandboxd-batch").start(this::run);
        }
    }

    /**
     * Asks, and neither waits nor is told of an error. It is done after a pause, together with what is asked for meanwhile, or
     * before that with the next who waits.
     */
    synchronized void askLater(T asked) {
        next.add(new Waiting<>(asked, true, new CompletableFuture<>()));
        if (!busy) {
            beginLater();
        }
    }

    private void beginLater() {
        if (!pausing) {
            pausing = true;
            Thread.ofVirtual().name("sandboxd-pause").start(this::beginAfterPause);
        }
    }

    private void beginAfterPause() {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody has this thread
        }
        synchronized (this) {
            pausing = false;
            if (!next.isEmpty()) {
                begin();
            }
        }
    }

    private void run() {
        for (List<Waiting<T>> batch = take(true); !batch.isEmpty(); batch = take(false)) {
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

    /** @param all also where nobody waits for it */
    private synchronized List<Waiting<T>> take(boolean all) {
        if (!all && !next.isEmpty() && next.stream().allMatch(Waiting::patient)) {
            busy = false;
            beginLater();
            return List.of();
        }
        List<Waiting<T>> batch = next;
        next = new ArrayList<>();
        busy = !batch.isEmpty();
        return batch;
    }
}
