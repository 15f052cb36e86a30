package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.List;

/** Says whether two lists of rules can meet. */
final class RuleOverlap {

    private RuleOverlap() {}

    /** Whether some destination may be reached by both lists. Empty lists reach everything. */
    static boolean mayOverlap(List<Rule> left, List<Rule> right) {
        return left.isEmpty()
                || right.isEmpty()
                || left.stream().anyMatch(one -> right.stream().anyMatch(other -> RuleRelations.meet(one, other)));
    }
}
