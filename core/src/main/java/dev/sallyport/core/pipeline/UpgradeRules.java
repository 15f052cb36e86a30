package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import dev.sallyport.toolkit.match.Destinations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Which requests may switch their connection to which protocols, by the rules with which one stage admits. Immutable. */
final class UpgradeRules {

    private static final UpgradeRules NONE = new UpgradeRules(Map.of(), CompiledRules.empty());

    /** Of the rules of which only the host is left, each matches any. */
    private static final int ANY_PORT = 443;

    /** By the protocol in lower case. */
    private final Map<String, CompiledRules> rules;

    /** The hosts of rules that list some protocol, for requests over TLS. */
    private final CompiledRules hosts;

    private UpgradeRules(Map<String, CompiledRules> rules, CompiledRules hosts) {
        this.rules = rules;
        this.hosts = hosts;
    }

    /** @param admitted the rules, which have been checked */
    static UpgradeRules of(List<Rule> admitted) {
        Map<String, List<Rule>> lists = new HashMap<>();
        for (Rule rule : admitted) {
            for (String protocol : rule.upgrade()) {
                lists.computeIfAbsent(protocol.toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                        .add(rule);
            }
        }
        if (lists.isEmpty()) {
            return NONE;
        }
        List<Rule> hosts = admitted.stream()
                .filter(rule -> !rule.upgrade().isEmpty() && rule.scheme() != Rule.Scheme.HTTP)
                .map(UpgradeRules::withHostAlone)
                .toList();
        Map<String, CompiledRules> compiled = new HashMap<>();
        try {
            for (Map.Entry<String, List<Rule>> list : lists.entrySet()) {
                compiled.put(list.getKey(), CompiledRules.of(list.getValue()));
            }
            return new UpgradeRules(compiled, CompiledRules.of(hosts));
        } catch (ConfigException e) {
            throw new IllegalStateException("a rule that was not checked", e);
        }
    }

    private static Rule withHostAlone(Rule rule) {
        String host = rule.host();
        return host != null ? Rule.host(host) : Rule.cidr(Objects.requireNonNull(rule.cidr(), "cidr"));
    }

    /** Whether there may be a request over TLS whose connection may be switched. */
    boolean mayAllowAny() {
        return !hosts.isEmpty();
    }

    /** Whether there may be a request over TLS to this host whose connection may be switched, on any port. */
    boolean mayAllow(String host) {
        return !hosts.isEmpty() && hosts.reaches(Destinations.parse(host, ANY_PORT, true));
    }

    /** @param protocol as the {@code Upgrade} field names it */
    boolean allow(Destination destination, RequestHead head, String protocol) {
        CompiledRules listing = rules.get(protocol.toLowerCase(Locale.ROOT));
        return listing != null && listing.match(destination, head.method(), head.decodedPath()) != RuleSet.NO_MATCH;
    }
}
