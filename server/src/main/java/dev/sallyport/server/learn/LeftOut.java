package dev.sallyport.server.learn;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Counts what is not in a learned policy, by reason, with an example of each. Not thread-safe. */
final class LeftOut {

    private static final int EXAMPLE = 100;

    private final Map<String, Group> reasons = new TreeMap<>();

    private record Group(long count, String example) {}

    /** Notes {@code count} requests; of all examples for one reason the first in their order is shown. */
    void add(String reason, String example, long count) {
        String shown = PlainText.cut(example, EXAMPLE);
        reasons.merge(
                reason,
                new Group(count, shown),
                (one, other) -> new Group(
                        one.count + other.count,
                        one.example.compareTo(other.example) <= 0 ? one.example : other.example));
    }

    boolean isEmpty() {
        return reasons.isEmpty();
    }

    /** How many there are. */
    long count() {
        return reasons.values().stream().mapToLong(Group::count).sum();
    }

    /** A line for each reason. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        reasons.forEach((reason, group) -> lines.add(String.format(
                Locale.ROOT,
                "left out: %,d %s %s, such as %s",
                group.count,
                group.count == 1 ? "request" : "requests",
                reason,
                group.example)));
        return lines;
    }
}
