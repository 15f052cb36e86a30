package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/** A policy as clients get it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record McpPolicy(
        String id,
        String name,
        boolean active,
        int priority,
        List<String> matchTags,
        List<RuleDraft> rules,
        List<ToolDraft> tools,
        Instant createdAt,
        Instant updatedAt) {

    /** The policy of a stored one. */
    public static McpPolicy of(Policy<McpPolicyDraft> policy) {
        McpPolicyDraft draft = policy.draft();
        return new McpPolicy(
                policy.id(),
                draft.name(),
                policy.active(),
                draft.priority(),
                draft.matchTags(),
                draft.rules(),
                draft.tools(),
                policy.createdAt(),
                policy.updatedAt());
    }
}
