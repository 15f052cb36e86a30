package dev.sallyport.control.policy;

import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import java.util.Locale;

/** Swaps a placeholder in the path. */
public record ReplaceConfig(
        @Limits(
                min = 1,
                max = 1024,
                pattern = PolicyNames.PROXY_VALUE,
                expected = PolicyNames.PROXY_VALUE_WORDS,
                description = "What the workload puts into the path; not %00, %5C, . or ..")
        String proxyValue) {

    /** Reports values that no path can hold. */
    void check(FieldProblems problems) {
        String field = "replace_config.proxy_value";
        if (problems.isTouched("replace_config")) {
            return;
        }
        String upper = proxyValue.toUpperCase(Locale.ROOT);
        String dots = upper.replace("%2E", ".");
        if (upper.contains("%00") || upper.contains("%5C")) {
            problems.add(field, "an escaped NUL or backslash, which no path may hold (expected: another placeholder)");
        } else if (dots.equals(".") || dots.equals("..")) {
            problems.add(field, "a dot segment, which no path may hold (expected: another placeholder)");
        }
    }
}
