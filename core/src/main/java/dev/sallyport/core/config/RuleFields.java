package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a {@link Rule} is written. */
record RuleFields(
        @JsonPropertyDescription(
                "Hostname glob: * matches any host, *.example.com every subdomain and the apex. Cannot be combined with cidr.")
        @Nullable String host,

        @JsonPropertyDescription(
                "CIDR range or single address; matches hosts that are address literals. Cannot be combined with host.")
        @Nullable String cidr,

        @JsonPropertyDescription("HTTP methods; empty or * means all.")
        List<String> methods,

        @JsonPropertyDescription(
                "Path patterns, each beginning with /; a trailing /* matches any depth, elsewhere * stays inside a segment.")
        List<String> paths,

        @JsonPropertyDescription("Ports; empty means all.") List<Integer> ports,

        @JsonPropertyDescription("Scheme of the request; both when unset.")
        Rule.@Nullable Scheme scheme,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "In transforms that restrict: take paths as they stand, not in every spelling and with all that is below them.")
        boolean exact,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Forward fields such as X-HTTP-Method-Override although this rule decided by method or path.")
        boolean keepOverrides,

        @JsonPropertyDescription(
                "In an allowlist: protocols other than websocket to which a connection may be switched, such as tcp or spdy/3.1. Their bytes are relayed and not judged.")
        List<String> upgrade) {

    /**
     * A rule that names a host, or a range, and nothing else; null for any other. Most do, and a pipeline has thousands: the way
     * of all others takes many times as long.
     */
    static @Nullable Rule plain(ConfigNode node) {
        if (!(node instanceof ConfigNode.Mapping mapping)
                || mapping.entries().size() != 1
                || !(mapping.entries().values().iterator().next().value() instanceof ConfigNode.Scalar only)
                || !only.type().isString()) {
            return null;
        }
        if (mapping.get("host") != null) {
            return Rule.host(only.text());
        }
        return mapping.get("cidr") != null ? Rule.cidr(only.text()) : null;
    }

    Rule rule() {
        return Rule.builder()
                .host(host)
                .cidr(cidr)
                .methods(methods)
                .paths(paths)
                .ports(ports)
                .scheme(scheme)
                .exact(exact)
                .keepOverrides(keepOverrides)
                .upgrade(upgrade)
                .build();
    }
}
