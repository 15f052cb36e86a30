package dev.sallyport.core.upstream;

import dev.sallyport.core.config.ProxySection;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Limits of their own on the wait for the heads of some responses. Immutable. */
public final class HeaderTimeouts {

    /** The usual limit for all responses. */
    public static final HeaderTimeouts NONE = of(List.of());

    private record Limit(Duration timeout, String setting) {}

    private final CompiledRules rules;
    /** By the index of a rule. */
    private final List<Limit> limits;

    private HeaderTimeouts(CompiledRules rules, List<Limit> limits) {
        this.rules = rules;
        this.limits = limits;
    }

    /** @param configured the limits, whose rules have been checked */
    public static HeaderTimeouts of(List<ProxySection.HeaderTimeout> configured) {
        List<Rule> rules = new ArrayList<>();
        List<Limit> limits = new ArrayList<>();
        for (int i = 0; i < configured.size(); i++) {
            Limit limit = new Limit(configured.get(i).timeout(), "proxy.upstream_response_header_timeouts[" + i + "]");
            for (Rule rule : configured.get(i).rules()) {
                rules.add(rule);
                limits.add(limit);
            }
        }
        try {
            return new HeaderTimeouts(CompiledRules.of(rules), limits);
        } catch (ConfigException e) {
            throw new IllegalStateException("a rule that was not checked", e);
        }
    }

    /** The limits on the exchange of a request: those of the first rule that matches, else the usual ones. */
    public OriginTimeouts of(Destination destination, RequestHead head, OriginTimeouts usual) {
        int rule = rules.isEmpty() ? RuleSet.NO_MATCH : rules.match(destination, head.method(), head.decodedPath());
        if (rule == RuleSet.NO_MATCH) {
            return usual;
        }
        Limit limit = limits.get(rule);
        return new OriginTimeouts(limit.timeout(), usual.body(), limit.setting());
    }
}
