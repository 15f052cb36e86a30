package dev.sallyport.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits with a time limit. */
final class Waiting {

    static final long LIMIT_SECONDS = 30;

    private Waiting() {}

    static <T> T forResult(CompletableFuture<T> future, String what) {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(what + ": interrupted", e);
        } catch (ExecutionException e) {
            throw new AssertionError(what + ": failed", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError(what + ": nothing within " + LIMIT_SECONDS + " s", e);
        }
    }
}
