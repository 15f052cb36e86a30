package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Tags;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An MCP policy as a client sends it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ServerOwned({"id", "created_at", "updated_at"})
public record McpPolicyDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = PolicyNames.NAME,
                expected = PolicyNames.NAME_WORDS,
                description = "Unique in the organization.")
        String name,

        @Limits(description = "Whether proxies get it.", defaultValue = "true") @Nullable Boolean active,

        @Limits(description = "Lower wins.") int priority,

        @Limits(max = 100, description = "A proxy must carry every one of these tags; empty is every proxy.")
        List<String> matchTags,

        @Limits(max = 1000, description = "The traffic; empty is every destination that is let through.")
        List<RuleDraft> rules,

        @Limits(max = 1000, description = "The tools that are let through; all others are denied.")
        List<ToolDraft> tools)
        implements PolicyDraft {

    /** Instructions of the regular expressions of a policy. */
    private static final int LARGEST = 200_000;

    public McpPolicyDraft {
        matchTags = List.copyOf(matchTags);
        rules = List.copyOf(rules);
        tools = List.copyOf(tools);
    }

    @Override
    public void check(FieldProblems problems) {
        RuleDraft.checkAll(rules, problems);
        Tags.check("match_tags", matchTags, problems);
        long[][] sizes = tools.stream().map(ToolDraft::regexSizes).toArray(long[][]::new);
        long size = compiled(sizes);
        if (size > LARGEST) {
            problems.addUnlessTouched(
                    "tools",
                    "regular expressions of some " + size + " instructions in all (expected: at most " + LARGEST + ")");
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < tools.size(); i++) {
            String field = "tools[" + i + "]";
            ToolDraft tool = tools.get(i);
            if (!problems.isTouched(field + ".name") && !names.add(tool.name())) {
                problems.add(field + ".name", "a tool that is listed before (expected: each tool once)");
            }
            tool.check(field, sizes[i], problems);
        }
    }

    /** The size of all that are not too large alone. */
    private static long compiled(long[][] sizes) {
        return Arrays.stream(sizes)
                .flatMapToLong(Arrays::stream)
                .filter(size -> size <= MatcherDraft.LARGEST)
                .sum();
    }
}
