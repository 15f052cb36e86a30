package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.IpRange;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code proxy}.
 *
 * @param httpListen null when it is off
 * @param httpsListen null when it is off
 * @param tunnelListen null when it is off
 * @param auth null when the tunnel asks for no credentials
 * @param proxyProtocol null when clients connect directly
 */
public record ProxySection(
        @JsonProperty(defaultValue = ":80") @JsonPropertyDescription("Address of the HTTP listener.") @Nullable ListenAddress httpListen,

        @JsonProperty(defaultValue = ":443") @JsonPropertyDescription("Address of the HTTPS listener.") @Nullable ListenAddress httpsListen,

        @JsonProperty(defaultValue = "disabled")
        @JsonPropertyDescription("Address of the tunnel listener, which accepts HTTP CONNECT and SOCKS5.")
        @Nullable ListenAddress tunnelListen,

        @JsonProperty(defaultValue = "1048576")
        @Range(min = "1")
        @JsonPropertyDescription("Most bytes of a request body that are buffered when a transform needs it.")
        long maxRequestBodyBytes,

        @JsonProperty(defaultValue = "0")
        @Range(min = "0")
        @JsonPropertyDescription("Most bytes of a response body that are buffered; 0 means unlimited.")
        long maxResponseBodyBytes,

        @JsonProperty(defaultValue = "30s")
        @Range(min = "1ms")
        @JsonPropertyDescription("How long to wait for the head of an upstream's response.")
        Duration upstreamResponseHeaderTimeout,

        @JsonProperty(defaultValue = "169.254.169.254/32,fd00:ec2::254/128,127.0.0.0/8,::1/128")
        @JsonPropertyDescription(
                "Ranges that the proxy refuses to dial for a workload, checked on the address after resolution. A list replaces the default; [] opts out.")
        List<IpRange> upstreamDenyCidrs,

        @JsonProperty(defaultValue = "443")
        @Range(min = "1", max = "65535")
        @JsonPropertyDescription("Port that https_listen dials for TLS that is passed through.")
        int sniUpstreamPort,

        @JsonProperty(defaultValue = "true")
        @JsonPropertyDescription(
                "Whether responses lose Alt-Svc, which would lead clients around the proxy, to HTTP/3 for example.")
        boolean stripAltSvc,

        @JsonProperty(defaultValue = "auto")
        @JsonPropertyDescription(
                "In which responses the credentials that transforms add are taken out again, where their entry does not say: from origins that the workload has sent them to (swapped), in those to requests that carried them (exchange), at all destinations where they may be put in (always), in none (off). The default (auto) is swapped, but off where the address of the origin is loopback.")
        RedactResponses redactResponses,

        @JsonProperty(defaultValue = "24h")
        @Range(min = "0s", max = "8760h")
        @JsonPropertyDescription(
                "How long a credential that was replaced by another, or deleted, is still taken out of responses; 0 is until the last exchange with it ends.")
        Duration redactAfterRemoval,

        @JsonProperty(defaultValue = "warn")
        @JsonPropertyDescription(
                "What a questionable order of transforms is: a warning (warn) or a configuration error (strict).")
        Lint lint,

        @JsonPropertyDescription("Bounds of what clients may ask for and of what is held for them.")
        ProxyLimits limits,

        @JsonPropertyDescription("Connections to upstreams.")
        Upstream upstream,

        @JsonPropertyDescription("What a reload does.") Reload reload,

        @JsonPropertyDescription("Credentials that workloads show to the tunnel listener; none when unset.") @Nullable ProxyAuth auth,

        @JsonProperty(defaultValue = "connect")
        @JsonPropertyDescription(
                "Where a workload is told that policy refuses the host of its tunnel: in the answer to CONNECT or SOCKS5 (connect), which most clients do not show, or in the answers inside the tunnel (inside), which opens for that alone and leads nowhere. For hosts of tls.passthrough it is always the former. Not used in mode sni-only.")
        TunnelDenials tunnelDenials,

        @JsonPropertyDescription(
                "Load balancers in front of the listeners that speak the PROXY protocol; none when unset.")
        @Nullable ProxyProtocol proxyProtocol,

        @JsonProperty(defaultValue = "off")
        @JsonPropertyDescription(
                "How the kernel brings connections to http_listen and https_listen that were meant for another address: not at all (off), by translating the destination (redirect), or by tproxy. Linux only.")
        Transparent transparent)
        implements SelfValidating {

    public ProxySection {
        upstreamDenyCidrs = List.copyOf(upstreamDenyCidrs);
    }

    /** In which responses credentials are taken out. */
    public enum RedactResponses {
        /** As {@link #SWAPPED}, but not where the origin's address is loopback. */
        AUTO,
        /** From origins to which they were sent. */
        SWAPPED,
        /** To requests that carried them. */
        EXCHANGE,
        /** At all destinations where they may be put in. */
        ALWAYS,
        /** In none. */
        OFF
    }

    /** How the lint check treats a questionable pipeline. */
    public enum Lint {
        /** A warning. */
        WARN,
        /** A configuration error. */
        STRICT
    }

    /** How a reload affects tunnels, WebSockets and event streams that outlive it. */
    public enum LongLived {
        /** They go on. */
        KEEP,
        /** Host-level policy judges them again, and those that it now refuses end. */
        RECHECK
    }

    /** Where a client learns that its tunnel is refused. */
    public enum TunnelDenials {
        /** In the answer to CONNECT or SOCKS5. */
        CONNECT,
        /** In the answers to the requests inside. */
        INSIDE
    }

    /** How the kernel brings connections that were meant for somebody else. */
    public enum Transparent {
        /** It does not: whoever connects means the proxy. */
        OFF,
        /** By translating their destination (nftables {@code redirect}, {@code dnat}): the original one is asked for. */
        REDIRECT,
        /** By {@code tproxy}: sockets that listen for any address, whose local address is the original destination. */
        TPROXY
    }

    /** Load balancers that tell who connects. */
    public record ProxyProtocol(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "Ranges of the load balancers. They must begin each connection with a header of version 1 or 2; from elsewhere none is believed.")
            List<IpRange> from)
            implements SelfValidating {

        public ProxyProtocol {
            from = List.copyOf(from);
        }

        @Override
        public void check(Problems problems) {
            if (from.isEmpty()) {
                problems.add("/from", "an empty list", "at least one range");
            }
        }
    }

    /** Connections to upstreams. */
    public record Upstream(
            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long connecting may take, for all addresses of a name together.")
            Duration connectTimeout,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long the TLS handshake may take, and an origin's first frame of HTTP/2.")
            Duration tlsHandshakeTimeout,

            @JsonProperty(defaultValue = "60s")
            @Range(min = "1ms")
            @JsonPropertyDescription(
                    "How long an origin that has not answered may take nothing of a request body; beyond, 504.")
            Duration requestBodyTimeout,

            @JsonProperty(defaultValue = "90s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long an idle connection is kept for reuse.")
            Duration idleTimeout,

            @JsonProperty(defaultValue = "10m")
            @Range(min = "1s")
            @JsonPropertyDescription("Age after which a connection takes no more requests.")
            Duration maxConnectionAge,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "1")
            @JsonPropertyDescription(
                    "Most idle connections that are kept, to all origins; the one idle for longest is closed first.")
            int maxIdleConnections,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "1")
            @JsonPropertyDescription("Most connections to one origin at a time; further requests wait.")
            int maxConnectionsPerOrigin,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "0")
            @JsonPropertyDescription("Most exchanges that wait for a connection to one origin; beyond, 503.")
            int maxWaitingPerOrigin,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long one exchange waits for a connection.")
            Duration waitTimeout,

            @JsonProperty(defaultValue = "64KiB")
            @Range(min = "1KiB", max = "1MiB")
            @JsonPropertyDescription("Most bytes of the head of a response; beyond, 502.")
            ByteSize headerBytes) {}

    /** What a reload does. */
    public record Reload(
            @JsonProperty(defaultValue = "keep")
            @JsonPropertyDescription(
                    "What becomes of tunnels, WebSockets and event streams that outlive a reload: they are kept. The value recheck is reserved, and refused.")
            LongLived longLived) {}

    @Override
    public void check(Problems problems) {
        if (httpListen == null && httpsListen == null && tunnelListen == null) {
            problems.add("", "every listener is disabled", "one of http_listen, https_listen, tunnel_listen");
        }
    }
}
