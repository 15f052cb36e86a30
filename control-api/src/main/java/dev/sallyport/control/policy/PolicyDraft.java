package dev.sallyport.control.policy;

import dev.sallyport.control.model.Checked;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a client sends for a policy: a whole representation. */
public sealed interface PolicyDraft extends Checked permits SecretPolicyDraft, McpPolicyDraft, NetworkPolicyDraft {

    /** Unique in the organization, among policies of the kind. */
    String name();

    /** Null is true. */
    @Nullable Boolean active();

    /** Lower wins. */
    int priority();

    /** The tags that a proxy must carry. */
    List<String> matchTags();

    /** The traffic. */
    List<RuleDraft> rules();
}
