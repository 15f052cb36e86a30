package dev.sallyport.control.feed;

import dev.sallyport.control.policy.PolicySets;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * For whom pipelines of the proxy in the same process are compiled. It belongs to the installation: the account that signed
 * up first is its operator, whose policies may name all sources; those of others may name listed ones. Thread-safe.
 */
@Singleton
final class InstallationScopes {

    private final PolicySets policies;
    private final EmbeddedDoor embedded;

    private volatile @Nullable String first;

    InstallationScopes(PolicySets policies, EmbeddedDoor embedded) {
        this.policies = policies;
        this.embedded = embedded;
    }

    /** Whoever is served there without a workload; empty for nobody yet. Blocks. */
    Optional<Scope> unclaimed() {
        return switch (embedded.defaultAccount()) {
            case EmbeddedDoor.NONE -> Optional.empty();
            case EmbeddedDoor.FIRST -> Optional.ofNullable(first()).map(this::of);
            default ->
                Optional.of(embedded.defaultAccount())
                        .filter(policies::isOrganization)
                        .map(this::of);
        };
    }

    /** Policies of an organization there. Blocks. */
    Scope of(String organization) {
        return of(organization, embedded.tags());
    }

    /** Policies of an organization at another proxy of the installation, which carries these tags. Blocks. */
    Scope of(String organization, List<String> tags) {
        PolicySources sources =
                organization.equals(first()) ? PolicySources.ALL : PolicySources.listed(embedded.sources());
        return new Scope(organization, tags, sources);
    }

    /** Asked until it is known: it stays the same. */
    private @Nullable String first() {
        String known = first;
        if (known == null) {
            known = policies.firstOrganization().orElse(null);
            first = known;
        }
        return known;
    }
}
