package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.core.config.DocumentLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A constraint of an argument: exactly one operator.
 *
 * @param equalTo null when absent; JSON's null is a value
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MatcherDraft(
        @Limits(min = 1, max = 1024, description = "Dotted path into the arguments.")
        String path,

        @JsonProperty("equals") @Limits(description = "The argument equals this value.") @Nullable JsonNode equalTo,

        @Limits(max = 1000, description = "The argument is one of these values.") @Nullable List<JsonNode> in,

        @Limits(max = 4096, description = "The argument as text matches this regular expression (RE2).") @Nullable String matches) {

    /** How deep a value is nested at most: the engine reads no more, where it stands in a pipeline. */
    static final int DEEPEST = DocumentLimits.DEPTH - 14;

    /** Instructions of a regular expression; one that has more is not compiled. */
    static final int LARGEST = 20_000;

    /** Whether a value is nested more deeply than the engine reads. */
    public boolean tooDeep() {
        return isDeeper(equalTo, DEEPEST) || (in != null && in.stream().anyMatch(value -> isDeeper(value, DEEPEST)));
    }

    private static boolean isDeeper(@Nullable JsonNode value, int most) {
        if (value == null || !value.isContainerNode()) {
            return false;
        }
        if (most == 0) {
            return true;
        }
        for (JsonNode child : value) {
            if (isDeeper(child, most - 1)) {
                return true;
            }
        }
        return false;
    }

    /** How many instructions the regular expression has; 0 without one. */
    long regexSize() {
        return matches == null ? 0 : RegexSize.of(matches);
    }

    /**
     * Reports problems.
     *
     * @param size what {@link #regexSize} has found
     */
    void check(String field, long size, FieldProblems problems) {
        if (problems.isTouched(field)) {
            return;
        }
        if (path.startsWith(".") || path.endsWith(".") || path.contains("..")) {
            problems.add(field + ".path", "a path with an empty part (expected: names joined by dots)");
        }
        int operators = (equalTo == null ? 0 : 1) + (in == null ? 0 : 1) + (matches == null ? 0 : 1);
        if (operators != 1) {
            problems.add(
                    field,
                    (operators == 0 ? "no operator" : operators + " operators")
                            + " (expected: one of equals, in, matches)");
        }
        if (tooDeep()) {
            problems.addUnlessTouched(
                    field + (equalTo == null ? ".in" : ".equals"),
                    "nested too deeply (expected: at most " + DEEPEST + " levels)");
        }
        if (in != null && in.isEmpty()) {
            problems.add(field + ".in", "empty (expected: at least one value)");
        }
        if (matches != null && !problems.isTouched(field + ".matches")) {
            if (size > LARGEST) {
                problems.add(
                        field + ".matches",
                        "a regular expression of some " + size + " instructions (expected: at most " + LARGEST + ")");
                return;
            }
            try {
                Pattern.compile(matches);
            } catch (PatternSyntaxException e) {
                problems.add(
                        field + ".matches", "not a regular expression: " + e.getDescription() + " (expected: RE2)");
            }
        }
    }
}
