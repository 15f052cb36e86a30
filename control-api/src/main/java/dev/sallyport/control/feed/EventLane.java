package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The events of one organization that wait, in their order, and how storing them goes. Guarded by the lock of its {@link
 * EventLanes}.
 */
final class EventLane {

    /** The most events that are stored together. */
    static final int PORTION = 1000;

    /** So often the same events are tried before they are suspected, and not the database. */
    private static final int ATTEMPTS = 3;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String organization;
    private final Deque<EgressBatch.Numbered> queue = new ArrayDeque<>();
    private long weight;

    /** Ends the hold of its exchanges; null where there is none. */
    @Nullable Runnable hold;

    /** Whether the log has told of the hold. */
    boolean holdTold;

    private int most = PORTION;
    private int failures;
    private long pause = FIRST_PAUSE_NANOS;
    private long dueAt;

    EventLane(String organization) {
        this.organization = organization;
    }

    String organization() {
        return organization;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** In bytes of memory. */
    long weight() {
        return weight;
    }

    /** The event that waits longest, or null. */
    EgressBatch.@Nullable Numbered first() {
        return queue.peek();
    }

    void add(EgressBatch.Numbered event) {
        queue.add(event);
        weight += EventWeight.of(event.facts());
    }

    /** Whether its events are tried without those of others, because some could not be stored. */
    boolean isAlone() {
        return failures > 0 || most < PORTION;
    }

    /** How long to wait before its events are tried; 0 for not at all. */
    long waitNanos(long now) {
        return failures == 0 ? 0 : Math.max(0, dueAt - now);
    }

    /** The first events: at least one, and no more than so many, nor than have so many bytes together. */
    List<EgressBatch.Numbered> part(int many, long bytes) {
        List<EgressBatch.Numbered> part = new ArrayList<>();
        long size = 0;
        for (EgressBatch.Numbered event : queue) {
            size += EventWeight.of(event.facts());
            if (!part.isEmpty() && (size > bytes || part.size() >= Math.min(many, most))) {
                break;
            }
            part.add(event);
        }
        return part;
    }

    /** Takes the first events out; returns what they weigh. */
    long remove(int events) {
        long before = weight;
        for (int i = 0; i < events; i++) {
            weight -= EventWeight.of(queue.remove().facts());
        }
        return before - weight;
    }

    void succeeded() {
        failures = 0;
        pause = FIRST_PAUSE_NANOS;
        most = Math.min(PORTION, 2 * most);
    }

    /** Its events could not be stored together with those of others: they are tried alone, soon. */
    void suspect(long now) {
        failures = Math.max(1, failures);
        dueAt = now;
    }

    /**
     * The first events could not be stored, although the database takes others. The bad one is found by halves.
     *
     * @param size how many
     * @return whether it is the first event
     */
    boolean failed(int size, long now) {
        failures++;
        if (failures < ATTEMPTS) {
            dueAt = now + pause;
            pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
            return false;
        }
        dueAt = now;
        if (size > 1) {
            most = size / 2;
            failures = most == 1 ? 0 : failures; // the one is tried as often as all were
            return false;
        }
        failures = 0;
        pause = FIRST_PAUSE_NANOS;
        return true;
    }
}
