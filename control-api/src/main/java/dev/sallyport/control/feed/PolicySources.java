package dev.sallyport.control.feed;

import dev.sallyport.control.policy.SourceDraft;
import java.util.Set;

/**
 * Which sources of policies a proxy reads. What a proxy of an organization can read is that organization's own; what that of
 * an installation can read is the operator's, and not its tenants'.
 *
 * @param all whether it reads all
 * @param names else those, as {@link #name} says them
 */
public record PolicySources(boolean all, Set<String> names) {

    /** All. */
    public static final PolicySources ALL = new PolicySources(true, Set.of());

    public PolicySources {
        names = Set.copyOf(names);
    }

    /** Those of these names alone. */
    public static PolicySources listed(Set<String> names) {
        return new PolicySources(false, names);
    }

    /** Whether it reads this one. */
    boolean contains(SourceDraft source) {
        return all || names.contains(name(source));
    }

    /** The name of a source, such as {@code env:NAME}. */
    static String name(SourceDraft source) {
        SourceDraft.Type type = source.type();
        return switch (type == null ? SourceDraft.Type.ENV : type) {
            case ENV -> "env:" + source.var();
            case CLOUD_SM -> "cloud_sm:" + source.secretId();
            case CLOUD_SSM -> "cloud_ssm:" + source.name();
        };
    }
}
