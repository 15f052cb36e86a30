package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
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
 */
public record Applied(long revision, Map<String, List<ConfigProblem>> problems) {

    public Applied {
        Map<String, List<ConfigProblem>> sorted = new TreeMap<>();
        problems.forEach((workload, list) -> sorted.put(workload, List.copyOf(list)));
        problems = Collections.unmodifiableMap(sorted);
    }

    /** Whether all of the update is in force. */
    public boolean isComplete() {
        return problems.isEmpty();
    }
}
