package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/** A policy as clients get it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NetworkPolicy(
        String id,
        String name,
        boolean active,
        int priority,
        List<String> matchTags,
        List<RuleDraft> rules,
        Instant createdAt,
        Instant updatedAt) {

    /** The policy of a stored one. */
    public static NetworkPolicy of(Policy<NetworkPolicyDraft> policy) {
        NetworkPolicyDraft draft = policy.draft();
        return new NetworkPolicy(
                policy.id(),
                draft.name(),
                policy.active(),
                draft.priority(),
                draft.matchTags(),
                draft.rules(),
                policy.createdAt(),
                policy.updatedAt());
    }
}
