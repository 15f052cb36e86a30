package dev.sallyport.control.sandbox;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whose snapshot is next: organizations come one after the other, whoever had its turn last of all, and of each the snapshot
 * that has waited longest. For one thread.
 */
final class Turns {

    /** The organizations of which something waits, in the order of their turns. */
    private final Set<String> line = new LinkedHashSet<>();

    /**
     * Those that are next, in this order.
     *
     * @param waiting all that wait, the longest waiting first
     * @param each how many of an organization are of use at most
     */
    List<SnapshotRow> next(List<SnapshotRow> waiting, int each) {
        Map<String, Deque<SnapshotRow>> queues = new LinkedHashMap<>();
        for (SnapshotRow snapshot : waiting) {
            queues.computeIfAbsent(snapshot.identity().organization(), any -> new ArrayDeque<>())
                    .add(snapshot);
        }
        line.retainAll(queues.keySet());
        line.addAll(queues.keySet()); // those that are in line already keep their places
        List<SnapshotRow> next = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (String organization : line) {
                Deque<SnapshotRow> queue = queues.get(organization);
                SnapshotRow oldest = queue == null ? null : queue.poll();
                if (oldest != null) {
                    next.add(oldest);
                }
            }
        }
        return next;
    }

    /** An organization has had its turn: the others that wait come first now. */
    void had(String organization) {
        if (line.remove(organization)) {
            line.add(organization);
        }
    }
}
