package dev.sallyport.spi;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a {@code rules} list: the shared rule format. A config record that declares {@code List<Rule> rules} gets
 * them bound, validated and, through {@link BuildContext#rules}, compiled by the engine.
 *
 * @param host glob; exclusive with {@code cidr}
 * @param cidr range or single address; matches hosts that are address literals
 * @param methods upper or lower case; empty or containing {@code *} means all
 * @param paths patterns that begin with {@code /}; empty means all
 * @param ports empty means all
 */
public record Rule(
        @JsonPropertyDescription(
                "Hostname glob: * matches any host, *.example.com every subdomain and the apex. Exclusive with cidr.")
        @Nullable String host,

        @JsonPropertyDescription(
                "CIDR range or single address; matches hosts that are address literals. Exclusive with host.")
        @Nullable String cidr,

        @JsonPropertyDescription("HTTP methods; empty or * means all.")
        List<String> methods,

        @JsonPropertyDescription(
                "Path patterns, each beginning with /; a trailing /* is a prefix, elsewhere * stays inside a segment.")
        List<String> paths,

        @JsonPropertyDescription("Ports; empty means all.") List<Integer> ports) {

    public Rule {
        methods = methods == null ? List.of() : List.copyOf(methods);
        paths = paths == null ? List.of() : List.copyOf(paths);
        ports = ports == null ? List.of() : List.copyOf(ports);
    }

    /** All methods and paths of the hosts that match {@code glob}. */
    public static Rule host(String glob) {
        return new Rule(glob, null, List.of(), List.of(), List.of());
    }

    /** All methods and paths of the address literals in {@code range}. */
    public static Rule cidr(String range) {
        return new Rule(null, range, List.of(), List.of(), List.of());
    }

    /** The same rule for these methods only. */
    public Rule withMethods(String... newMethods) {
        return new Rule(host, cidr, List.of(newMethods), paths, ports);
    }

    /** The same rule for these paths only. */
    public Rule withPaths(String... newPaths) {
        return new Rule(host, cidr, methods, List.of(newPaths), ports);
    }

    /** The same rule for these ports only. */
    public Rule withPorts(Integer... newPorts) {
        return new Rule(host, cidr, methods, paths, List.of(newPorts));
    }
}
