package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A policy as clients get it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SecretPolicy(
        String id,
        String name,
        boolean active,
        int priority,
        List<String> matchTags,
        SecretPolicyDraft.Mode mode,
        List<RuleDraft> rules,
        SourceDraft source,
        @Nullable InjectConfig injectConfig,
        @Nullable ReplaceConfig replaceConfig,
        @Nullable Boolean allowPlaintext,
        Instant createdAt,
        Instant updatedAt) {

    /** The policy of a stored one. */
    public static SecretPolicy of(Policy<SecretPolicyDraft> policy) {
        SecretPolicyDraft draft = policy.draft();
        return new SecretPolicy(
                policy.id(),
                draft.name(),
                policy.active(),
                draft.priority(),
                draft.matchTags(),
                draft.mode(),
                draft.rules(),
                draft.source(),
                draft.injectConfig(),
                draft.replaceConfig(),
                draft.allowPlaintext(),
                policy.createdAt(),
                policy.updatedAt());
    }
}
