package dev.sallyport.core.audit;

import dev.sallyport.core.audit.WaitingShares.Line;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether what is of one organization is held back, and who of it waits. Of all its shares. Thread-safe. */
final class ShareHold {

    private final AtomicInteger holds = new AtomicInteger();

    /** The shares in which somebody waits to begin something: nobody looks at them until it is not held back any more. */
    private final Queue<Line> heldBack = new ConcurrentLinkedQueue<>();

    boolean isOn() {
        return holds.get() > 0;
    }

    void begin() {
        holds.incrementAndGet();
    }

    /** Ends a hold; true when it was the last one. */
    boolean end() {
        return holds.decrementAndGet() == 0;
    }

    Queue<Line> heldBack() {
        return heldBack;
    }
}
