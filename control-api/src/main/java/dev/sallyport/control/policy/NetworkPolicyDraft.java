package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Tags;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A network policy as a client sends it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ServerOwned({"id", "created_at", "updated_at"})
public record NetworkPolicyDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = PolicyNames.NAME,
                expected = PolicyNames.NAME_WORDS,
                description = "Unique in the organization.")
        String name,

        @Limits(description = "Whether proxies get it.", defaultValue = "true") @Nullable Boolean active,

        @Limits(description = "Orders the list.") int priority,

        @Limits(max = 100, description = "A proxy must carry every one of these tags; empty is every proxy.")
        List<String> matchTags,

        @Limits(max = 1000, description = "The destinations that are let through.")
        List<RuleDraft> rules)
        implements PolicyDraft {

    public NetworkPolicyDraft {
        matchTags = List.copyOf(matchTags);
        rules = List.copyOf(rules);
    }

    @Override
    public void check(FieldProblems problems) {
        RuleDraft.checkAll(rules, problems);
        Tags.check("match_tags", matchTags, problems);
    }
}
