package dev.sallyport.core.tls;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import dev.sallyport.toolkit.match.Destinations;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The certificates that origins are shown ({@code tls.client_certificates}). Thread-safe. */
public final class ClientIdentities {

    /** None for any origin. */
    public static final ClientIdentities NONE = of(List.of());

    private final List<ClientIdentity> identities;
    private final CompiledRules rules;

    /** By the index of a rule. */
    private final List<Integer> owners;

    private ClientIdentities(List<ClientIdentity> identities, CompiledRules rules, List<Integer> owners) {
        this.identities = List.copyOf(identities);
        this.rules = rules;
        this.owners = owners;
    }

    /** @param identities in their order; their rules have been checked */
    public static ClientIdentities of(List<ClientIdentity> identities) {
        List<Rule> rules = new ArrayList<>();
        List<Integer> owners = new ArrayList<>();
        for (int i = 0; i < identities.size(); i++) {
            for (Rule rule : identities.get(i).rules()) {
                rules.add(rule);
                owners.add(i);
            }
        }
        try {
            return new ClientIdentities(identities, CompiledRules.of(rules), owners);
        } catch (ConfigException e) {
            throw new IllegalStateException("a rule that was not checked", e);
        }
    }

    /** The number of the identity for an origin, a canonical name or address; -1 for none. */
    int find(@Nullable String host, int port) {
        if (host == null || rules.isEmpty()) {
            return -1;
        }
        int rule = rules.match(Destinations.parse(host, port, true), "", "");
        return rule == RuleSet.NO_MATCH ? -1 : owners.get(rule);
    }

    ClientIdentity get(int number) {
        return identities.get(number);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientIdentities that && identities.equals(that.identities);
    }

    @Override
    public int hashCode() {
        return identities.hashCode();
    }
}
