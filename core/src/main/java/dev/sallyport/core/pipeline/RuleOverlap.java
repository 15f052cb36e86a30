package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.List;

/** Tells whether two lists of rules can match the same destination. */
final class RuleOverlap {

    private RuleOverlap() {}

    /** Whether both lists may match some destination. Empty lists match everything. */
    static boolean mayOverlap(List<Rule> left, List<Rule> right) {
        return left.isEmpty()
                || right.isEmpty()
                || left.stream().anyMatch(one -> right.stream().anyMatch(other -> RuleRelations.meet(one, other)));
    }
}
