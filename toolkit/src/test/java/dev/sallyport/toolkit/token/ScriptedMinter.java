package dev.sallyport.toolkit.token;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Mints what a test says, when it says so. */
final class ScriptedMinter implements Minter {

    /** A mint that waits for its answer. */
    record Begun(CompletableFuture<AccessToken> answer, Thread thread) {

        void complete(AccessToken token) throws InterruptedException {
            answer.complete(token);
            end();
        }

        void fail(Exception failure) throws InterruptedException {
            answer.completeExceptionally(failure);
            end();
        }

        /** Waits until the cache has taken note. */
        private void end() throws InterruptedException {
            if (!thread.join(Duration.ofSeconds(30))) {
                throw new AssertionError("the mint did not end within 30 s");
            }
        }
    }

    private final LinkedBlockingQueue<Begun> begun = new LinkedBlockingQueue<>();

    private final AtomicInteger mints = new AtomicInteger();
    private final AtomicLong credentials = new AtomicLong(1);

    @Override
    public long credentials() {
        return credentials.get();
    }

    void rotate() {
        credentials.incrementAndGet();
    }

    @Override
    public AccessToken mint() throws MintException, InterruptedException {
        mints.incrementAndGet();
        CompletableFuture<AccessToken> answer = new CompletableFuture<>();
        begun.add(new Begun(answer, Thread.currentThread()));
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MintException failure) {
                throw failure;
            }
            throw new IllegalStateException("scripted", e.getCause());
        }
    }

    /** How many mints have begun. */
    int mints() {
        return mints.get();
    }

    /** The next mint that begins; waits for it. */
    Begun begun() throws InterruptedException {
        Begun next = begun.poll(30, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no mint began within 30 s");
        }
        return next;
    }

    static AccessToken token(String value, int seconds) {
        return new AccessToken(value, Duration.ofSeconds(seconds));
    }
}
