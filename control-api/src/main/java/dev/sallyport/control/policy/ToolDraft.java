package dev.sallyport.control.policy;

import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import java.util.List;

/** A tool that is let through. */
public record ToolDraft(
        @Limits(min = 1, max = 1024, description = "Name of the tool.")
        String name,

        @Limits(max = 100, description = "All must pass; empty lets any arguments pass.")
        List<MatcherDraft> matchers) {

    public ToolDraft {
        matchers = List.copyOf(matchers);
    }

    /** Whether a matcher has a value that the engine does not read. */
    public boolean tooDeep() {
        return matchers.stream().anyMatch(MatcherDraft::tooDeep);
    }

    /** How many instructions the regular expression of each matcher has. */
    long[] regexSizes() {
        return matchers.stream().mapToLong(MatcherDraft::regexSize).toArray();
    }

    /**
     * Reports problems of the matchers.
     *
     * @param sizes what {@link #regexSizes} has found
     */
    void check(String field, long[] sizes, FieldProblems problems) {
        for (int i = 0; i < matchers.size(); i++) {
            matchers.get(i).check(field + ".matchers[" + i + "]", sizes[i], problems);
        }
    }
}
