package dev.sallyport.transforms.allowlist;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;

/** Configuration of {@code allowlist}. An empty configuration allows nothing. */
public record AllowlistConfig(
        @JsonPropertyDescription("Hostname globs, all methods and paths; `*` matches any host.")
        List<String> domains,

        @JsonPropertyDescription("CIDR ranges, all methods and paths; they match hosts that are address literals.")
        List<String> cidrs,

        @JsonPropertyDescription(
                "Rules with methods, paths, ports and scheme. A request is allowed when any entry matches.")
        List<Rule> rules,

        @JsonPropertyDescription(
                "Only record what would be refused; such requests continue without credentials (no swap, no injection, no signing).")
        boolean warn,

        @JsonPropertyDescription(
                "Relay TCP in which neither HTTP nor TLS is spoken, where a range, or a rule with `cidr` and without methods, paths and scheme, has its address; with `warn` everywhere. It is closed elsewhere, and without this.")
        boolean otherTcp) {

    public AllowlistConfig {
        domains = List.copyOf(domains);
        cidrs = List.copyOf(cidrs);
        rules = List.copyOf(rules);
    }

    /** All entries as rules: domains, then ranges, then rules. */
    List<Rule> all() {
        if (domains.isEmpty() && cidrs.isEmpty()) {
            return rules;
        }
        List<Rule> all = new ArrayList<>(domains.size() + cidrs.size() + rules.size());
        domains.forEach(domain -> all.add(Rule.host(domain)));
        cidrs.forEach(cidr -> all.add(Rule.cidr(cidr)));
        all.addAll(rules);
        return List.copyOf(all);
    }

    /** Where other TCP than HTTP and TLS is relayed. */
    List<Rule> relayed() {
        if (!otherTcp) {
            return List.of();
        }
        return warn
                ? List.of(Rule.host("*"))
                : all().stream()
                        .filter(rule -> rule.cidr() != null && rule.scheme() == null)
                        .toList();
    }

    /** Counts only. */
    @Override
    public String toString() {
        return "AllowlistConfig[" + domains.size() + " domains, " + cidrs.size() + " cidrs, " + rules.size()
                + " rules]";
    }
}
