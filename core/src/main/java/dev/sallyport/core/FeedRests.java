package dev.sallyport.core;

import java.util.HashSet;
import java.util.Set;

/**
 * Who has to rest after updates at a {@linkplain FeedPace pace}: what was replaced is not replaced again for a while, and
 * whatever else is new need not wait for that. For one thread.
 */
final class FeedRests {

    /** Names callers of no workload. */
    static final String UNCLAIMED = "";

    private final FeedPace pace = new FeedPace();
    private final Set<String> resting = new HashSet<>();
    private long until;

    /** How long an update has to wait, in nanoseconds. */
    long before(PipelineUpdate update, long now) {
        return concerns(update) ? left(now) : 0;
    }

    private boolean concerns(PipelineUpdate update) {
        return update.isWhole()
                || (update.unclaimed() != null && resting.contains(UNCLAIMED))
                || update.upserts().stream().anyMatch(workload -> resting.contains(workload.name()));
    }

    /**
     * Counts an update.
     *
     * @param replaced whose policies it has replaced
     * @param from when it began, by {@link System#nanoTime}
     * @param to when it ended
     * @param more whether others wait: nobody rests then
     */
    void after(Set<String> replaced, long from, long to, boolean more) {
        long rest = replaced.isEmpty() ? left(to) : pace.rest(from, to);
        if (left(to) == 0 || more) {
            resting.clear();
        }
        if (more) {
            return;
        }
        resting.addAll(replaced);
        until = to + rest;
    }

    /** How long they still rest, in nanoseconds; 0 for not. */
    long left(long now) {
        return resting.isEmpty() ? 0 : Math.max(0, until - now);
    }
}
