package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outcome of an update. Immutable; holds no secret.
 *
 * @param revision that of the update
 * @param problems by workload, in the order of the names: why a workload of the update is refused everything now, or why
 *     one of its selectors selects nobody. The empty name stands for what belongs to callers of no workload. Pointers
 *     are relative to the pipeline's text, or name the selector, such as {@code /source_cidrs/0}
 * @param rest for how long the proxy does not replace again what it has replaced, unless another update waits already:
 *     whoever makes them need not hurry
 */
public record Applied(long revision, Map<String, List<ConfigProblem>> problems, Duration rest) {

    public Applied {
        Map<String, List<ConfigProblem>> sorted = new TreeMap<>();
        problems.forEach((workload, list) -> sorted.put(workload, List.copyOf(list)));
        problems = Collections.unmodifiableMap(sorted);
    }

    /** One after which the proxy does not rest. */
    public Applied(long revision, Map<String, List<ConfigProblem>> problems) {
        this(revision, problems, Duration.ZERO);
    }

    /** The same, with a rest after it. */
    Applied before(Duration thatRest) {
        return new Applied(revision, problems, thatRest);
    }

    /** Whether all of the update is in force. */
    public boolean isComplete() {
        return problems.isEmpty();
    }
}
