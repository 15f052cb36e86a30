package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Which requests may switch their connection to which protocols, by the rules with which one stage admits. Immutable. */
final class UpgradeRules {

    private static final UpgradeRules NONE = new UpgradeRules(Map.of());

    /** By the protocol in lower case. */
    private final Map<String, CompiledRules> rules;

    private UpgradeRules(Map<String, CompiledRules> rules) {
        this.rules = rules;
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
        Map<String, CompiledRules> compiled = new HashMap<>();
        try {
            for (Map.Entry<String, List<Rule>> list : lists.entrySet()) {
                compiled.put(list.getKey(), CompiledRules.of(list.getValue()));
            }
        } catch (ConfigException e) {
            throw new IllegalStateException("a rule that was not checked", e);
        }
        return new UpgradeRules(compiled);
    }

    /** @param protocol as the {@code Upgrade} field names it */
    boolean allow(Destination destination, RequestHead head, String protocol) {
        CompiledRules listing = rules.get(protocol.toLowerCase(Locale.ROOT));
        return listing != null && listing.match(destination, head.method(), head.decodedPath()) != RuleSet.NO_MATCH;
    }
}
