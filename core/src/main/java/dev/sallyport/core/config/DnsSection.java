package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
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
        List<StaticRecord> records,

        @JsonPropertyDescription("Limits on clients' queries and on the state held for them.")
        Limits limits)
        implements SelfValidating {

    /** How many CNAME records may follow each other. */
    public static final int MAX_LINKS = 16;

    public DnsSection {
        passthrough = List.copyOf(passthrough);
        records = List.copyOf(records);
    }

    /** Limits on clients' queries and on the state held for them. */
    public record Limits(
            @JsonProperty(defaultValue = "1000")
            @Range(min = "0")
            @JsonPropertyDescription(
                    "Queries a second from one address, on average; two seconds' worth may come at once. 0: no limit.")
            int queriesPerSecond,

            @JsonProperty(defaultValue = "100")
            @Range(min = "0")
            @JsonPropertyDescription("The same for passthrough queries, which could leak data. 0: no limit.")
            int passthroughPerSecond,

            @JsonProperty(defaultValue = "128")
            @Range(min = "1", max = "253")
            @JsonPropertyDescription("Longest passthrough name, in characters; longer ones are refused.")
            int passthroughNameLength,

            @JsonProperty(defaultValue = "256")
            @Range(min = "4", max = "10000")
            @JsonPropertyDescription(
                    "Queries at the upstream resolver at a time, a quarter of them for one address; beyond, SERVFAIL.")
            int passthroughQueries,

            @JsonProperty(defaultValue = "5s")
            @Range(min = "100ms")
            @JsonPropertyDescription("Time limit of the upstream resolver, including retries.")
            Duration passthroughTimeout,

            @JsonProperty(defaultValue = "512B")
            @Range(min = "64B", max = "4KiB")
            @JsonPropertyDescription("Longest query.")
            ByteSize queryBytes,

            @JsonProperty(defaultValue = "1232B")
            @Range(min = "512B", max = "4KiB")
            @JsonPropertyDescription(
                    "Longest answer over UDP to clients that accept more than 512 bytes; longer answers are truncated, so that clients retry over TCP.")
            ByteSize udpResponseBytes,

            @JsonProperty(defaultValue = "256")
            @Range(min = "8", max = "10000")
            @JsonPropertyDescription("TCP connections at a time, an eighth of them for one address.")
            int tcpConnections,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "10ms")
            @JsonPropertyDescription("How long a TCP connection may stay without a complete query.")
            Duration tcpIdleTimeout) {}

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

            @JsonProperty(required = true) @JsonPropertyDescription("IP for A, target hostname for CNAME.") @NoSecret
            String value)
            implements SelfValidating {

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

        static boolean isName(String text) {
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
            problems.add(
                    "/proxy_ip6", "it cannot be combined with an IPv6 proxy_ip", "an IPv4 proxy_ip, or no proxy_ip6");
        }
        for (int i = 0; i < passthrough.size(); i++) {
            RuleCheck.glob(passthrough.get(i), problems, "/passthrough/" + i);
        }
        DnsAliases.check(records, problems);
    }
}
