package dev.sallyport.transforms.judge;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Limits the calls in flight; further callers wait in the order of arrival. Thread-safe; never blocks. */
final class CallLimiter {

    private final ScheduledExecutorService scheduler;
    private final ArrayDeque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int free;
    private int returned;
    private boolean handingOver;

    CallLimiter(int limiter, ScheduledExecutorService scheduler) {
        this.free = limiter;
        this.scheduler = scheduler;
    }

    /**
     * Asks for a slot. The future completes with the slot, or with {@link TimeoutException} after the limit. Cancel it
     * to stop waiting; a slot that was granted must be {@linkplain #release() released}.
     */
    CompletableFuture<Void> acquire(Duration limit) {
        CompletableFuture<Void> place = new CompletableFuture<>();
        synchronized (this) {
            if (free > 0) {
                free--;
                place.complete(null);
                return place;
            }
            waiting.add(place);
        }
        Future<?> timer = scheduler.schedule(
                () -> place.completeExceptionally(new TimeoutException("no call could begin")),
                limit.toNanos(),
                TimeUnit.NANOSECONDS);
        place.whenComplete((got, failure) -> {
            timer.cancel(false);
            if (failure != null) {
                clear();
            }
        });
        return place;
    }

    /** Returns a slot, to the caller that has waited longest if there is one. */
    void release() {
        synchronized (this) {
            returned++;
            if (handingOver) {
                return; // The thread that is already handing over continues; recursion would pile up calls when slots
                // return at once.
            }
            handingOver = true;
        }
        for (CompletableFuture<Void> next = next(false); next != null; ) {
            next = next(!next.complete(null));
        }
    }

    /** @param again whether the last slot that was handed over found no taker */
    private synchronized @Nullable CompletableFuture<Void> next(boolean again) {
        returned += again ? 1 : 0;
        while (returned > 0) {
            returned--;
            CompletableFuture<Void> first = waiting.poll();
            if (first != null) {
                return first;
            }
            free++;
        }
        handingOver = false;
        return null;
    }

    /** Removes callers that no longer wait. */
    private synchronized void clear() {
        waiting.removeIf(Future::isDone);
    }
}
