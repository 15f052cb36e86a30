package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.OnlyWhen;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Tags;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A secret policy as a client sends it. The block of the other mode is dropped unread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ServerOwned({"id", "created_at", "updated_at"})
public record SecretPolicyDraft(
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

        @Limits(description = "What is done with the credential.")
        Mode mode,

        @Limits(max = 1000, description = "The traffic; empty is every destination that is let through.")
        List<RuleDraft> rules,

        @Limits(description = "Where the proxy reads the credential.")
        SourceDraft source,

        @OnlyWhen(key = "mode", is = "inject") @Limits(description = "Required when mode is inject.") @Nullable InjectConfig injectConfig,

        @OnlyWhen(key = "mode", is = "replace") @Limits(description = "Required when mode is replace.") @Nullable ReplaceConfig replaceConfig,

        @Limits(
                description = "Whether it may go over connections without TLS to addresses that are not near.",
                defaultValue = "false")
        @Nullable Boolean allowPlaintext)
        implements PolicyDraft {

    /** Modes. */
    public enum Mode {
        /** Adds a header or query parameter. */
        @JsonProperty("inject")
        INJECT,
        /** Swaps a placeholder in the path. */
        @JsonProperty("replace")
        REPLACE
    }

    public SecretPolicyDraft {
        matchTags = List.copyOf(matchTags);
        rules = List.copyOf(rules);
    }

    @Override
    public void check(FieldProblems problems) {
        RuleDraft.checkAll(rules, problems);
        Tags.check("match_tags", matchTags, problems);
        if (!problems.isTouched("source")) {
            source.check(problems);
        }
        if (problems.isTouched("mode")) {
            return;
        }
        switch (mode) {
            case INJECT -> {
                if (injectConfig != null) {
                    injectConfig.check(problems);
                } else {
                    problems.addUnlessTouched("inject_config", "missing (expected: it, when mode is inject)");
                }
            }
            case REPLACE -> {
                if (replaceConfig != null) {
                    replaceConfig.check(problems);
                } else {
                    problems.addUnlessTouched("replace_config", "missing (expected: it, when mode is replace)");
                }
            }
        }
    }
}
