package dev.sallyport.transforms.judge;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** How many calls may be in flight; who finds none free waits, first come first served. Thread-safe; never blocks. */
final class Slots {

    private final ScheduledExecutorService scheduler;
    private final ArrayDeque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int free;
    private int returned;
    private boolean handingOver;

    Slots(int slots, ScheduledExecutorService scheduler) {
        this.free = slots;
        this.scheduler = scheduler;
    }

    /**
     * Asks for a slot. Completes with it, or with {@link TimeoutException} after the limit. Cancel it to wait no longer;
     * one that was got must be {@linkplain #release() released}.
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

    /** Gives a slot back: to who has waited longest, if anybody does. */
    void release() {
        synchronized (this) {
            returned++;
            if (handingOver) {
                return; // whoever does so sees to it; else those who give it back at once would pile up calls
            }
            handingOver = true;
        }
        for (CompletableFuture<Void> next = next(false); next != null; ) {
            next = next(!next.complete(null));
        }
    }

    /** @param again whether the slot handed over last found nobody there */
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

    /** Forgets those who wait no longer. */
    private synchronized void clear() {
        waiting.removeIf(Future::isDone);
    }
}
