package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code dns}.
 *
 * @param proxyIp null only when the listener is off
 */
public record DnsSection(
        @JsonProperty(defaultValue = "true") @JsonPropertyDescription("Whether the DNS server runs.")
        boolean enabled,

        @JsonProperty(defaultValue = ":53")
        @JsonPropertyDescription("Address that the DNS server listens on, UDP and TCP.")
        ListenAddress listen,

        @JsonPropertyDescription("IP of the proxy; all answers resolve to it. Required unless enabled is false.")
        @Nullable InetAddress proxyIp,

        @JsonPropertyDescription("IPv6 address of the proxy for AAAA queries, when proxy_ip is an IPv4 address.")
        @Nullable InetAddress proxyIp6,

        @JsonPropertyDescription(
                "Upstream resolver, for passthrough queries and for upstream connections; the system's when unset.")
        @Nullable ServerAddress upstreamResolver,

        @JsonPropertyDescription("Host globs forwarded to the upstream resolver instead of intercepted.")
        List<String> passthrough,

        @JsonPropertyDescription("Static records; they take precedence over interception and passthrough.")
        List<StaticRecord> records)
        implements Checked {

    public DnsSection {
        passthrough = List.copyOf(passthrough);
        records = List.copyOf(records);
    }

    /** Type of a static record. */
    public enum RecordType {
        /** An IPv4 address. */
        @JsonProperty("A")
        A,
        /** Another name. */
        @JsonProperty("CNAME")
        CNAME
    }

    /**
     * A static record.
     *
     * @param value an IPv4 address, or a host name
     */
    public record StaticRecord(
            @JsonProperty(required = true) @JsonPropertyDescription("Host name.")
            String name,

            @JsonProperty(required = true) @JsonPropertyDescription("Type of the record.")
            RecordType type,

            @JsonProperty(required = true) @JsonPropertyDescription("IP for A, target hostname for CNAME.")
            String value)
            implements Checked {

        @Override
        public void check(Problems problems) {
            if (!isName(name)) {
                problems.add("/name", "not a host name", "a host name such as host.example.com");
            }
            if (type == RecordType.CNAME && !isName(value)) {
                problems.add("/value", "a CNAME that is not a host name", "a host name such as host.example.com");
            }
            if (type == RecordType.A && !isV4(value)) {
                problems.add("/value", "an A record that is not an IPv4 address", "an address such as 192.0.2.1");
            }
        }

        private static boolean isName(String text) {
            try {
                return !Hosts.isLiteral(Hosts.canonical(text));
            } catch (InvalidHostException e) {
                return false;
            }
        }

        private static boolean isV4(String text) {
            try {
                return ServerAddress.literal(text, "") instanceof Inet4Address;
            } catch (BadValueException e) {
                return false;
            }
        }
    }

    @Override
    public void check(Problems problems) {
        if (enabled && proxyIp == null) {
            problems.add("/proxy_ip", "missing field \"proxy_ip\"", "the IP of the proxy, or dns.enabled: false");
        }
        if (proxyIp6 != null && !(proxyIp6 instanceof Inet6Address)) {
            problems.add("/proxy_ip6", "not an IPv6 address", "an address such as 2001:db8::1");
        }
        if (proxyIp6 != null && proxyIp instanceof Inet6Address) {
            problems.add("/proxy_ip6", "exclusive with an IPv6 proxy_ip", "an IPv4 proxy_ip, or no proxy_ip6");
        }
        for (int i = 0; i < passthrough.size(); i++) {
            RuleCheck.glob(passthrough.get(i), problems, "/passthrough/" + i);
        }
    }
}
