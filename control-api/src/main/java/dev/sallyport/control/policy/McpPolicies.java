package dev.sallyport.control.policy;

import jakarta.inject.Singleton;

/** All of the kind {@link PolicyKind#MCP}. */
@Singleton
public final class McpPolicies extends Policies<McpPolicyDraft> {

    public McpPolicies(Parts parts) {
        super(PolicyKind.MCP, McpPolicyDraft.class, parts);
    }
}
