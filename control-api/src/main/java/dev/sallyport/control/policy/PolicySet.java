package dev.sallyport.control.policy;

import java.util.List;

/**
 * The active policies of an organization, as one statement saw them: by priority, then the older first.
 *
 * @param broken the identifiers of policies whose stored text cannot be read
 */
public record PolicySet(
        List<Policy<NetworkPolicyDraft>> network,
        List<Policy<SecretPolicyDraft>> secrets,
        List<Policy<McpPolicyDraft>> mcp,
        List<String> broken) {

    public PolicySet {
        network = List.copyOf(network);
        secrets = List.copyOf(secrets);
        mcp = List.copyOf(mcp);
        broken = List.copyOf(broken);
    }
}
