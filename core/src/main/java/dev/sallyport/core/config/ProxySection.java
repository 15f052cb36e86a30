package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
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
 * @param upstreamProxy null when connections go out directly
 * @param auth null when the tunnel asks for no credentials
 * @param proxyProtocol null when clients connect directly
 */
public record ProxySection(
        @JsonProperty(defaultValue = ":80") @JsonPropertyDescription("Address of the HTTP listener.") @Nullable ListenAddress httpListen,

        @JsonProperty(defaultValue = ":443") @JsonPropertyDescription("Address of the HTTPS listener.") @Nullable ListenAddress httpsListen,

        @JsonProperty(defaultValue = "disabled")
        @JsonPropertyDescription("Address of the tunnel listener, which accepts HTTP CONNECT and SOCKS5.")
        @Nullable ListenAddress tunnelListen,

        @JsonProperty(defaultValue = "auto")
        @JsonPropertyDescription(
                "Whether the tunnel listener also takes clients that speak TLS with the proxy itself (HTTPS_PROXY=https://...), in mode mitm: auto or off.")
        TunnelTls tunnelTls,

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

        @JsonPropertyDescription(
                "Limits of their own for some requests, such as calls of models that do not stream; the first whose rules match counts.")
        List<HeaderTimeout> upstreamResponseHeaderTimeouts,

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
                "Remove Alt-Svc from responses, which would lead clients around the proxy, for example to HTTP/3.")
        boolean stripAltSvc,

        @JsonProperty(defaultValue = "pass")
        @JsonPropertyDescription(
                "What becomes of the traceparent and tracestate of a request: they pass unchanged (pass), traceparent names the proxy's span instead of the workload's (continue), or both are removed (strip).")
        Trace trace,

        @JsonProperty(defaultValue = "auto")
        @JsonPropertyDescription(
                "The responses from which credentials that transforms add are removed, unless their entry says otherwise: those from origins to which the workload has sent them (swapped), those to requests that carried them (exchange), all from destinations where they may be put in (always), or none (off). The default (auto) is swapped, but off if the origin's address is loopback.")
        RedactResponses redactResponses,

        @JsonProperty(defaultValue = "24h")
        @Range(min = "0s", max = "8760h")
        @JsonPropertyDescription(
                "How long a credential that was replaced or deleted is still removed from responses; 0 means until the last exchange with it ends.")
        Duration redactAfterRemoval,

        @JsonProperty(defaultValue = "warn")
        @JsonPropertyDescription(
                "How a questionable order of transforms is reported: as a warning (warn) or a configuration error (strict). What no order mends, since sections such as mcp come last, stays a warning.")
        Lint lint,

        @JsonPropertyDescription("Limits on clients' requests, on their time, and on the memory held for them.")
        ProxyLimits limits,

        @JsonPropertyDescription("Connections to upstreams.")
        Upstream upstream,

        @JsonPropertyDescription("The parent proxy through which connections go out; none when unset.") @Nullable UpstreamProxy upstreamProxy,

        @JsonPropertyDescription("What a reload does.") Reload reload,

        @JsonPropertyDescription("Credentials that workloads must send to the tunnel listener; none when unset.")
        @Nullable ProxyAuth auth,

        @JsonProperty(defaultValue = "connect")
        @JsonPropertyDescription(
                "Where a workload learns that policy refuses the host of its tunnel: in the answer to CONNECT or SOCKS5 (connect), which most clients do not show, or in the answers inside the tunnel (inside), which then opens only for that and leads nowhere. Hosts of tls.passthrough always use connect. Not used in mode sni-only.")
        TunnelDenials tunnelDenials,

        @JsonPropertyDescription(
                "Load balancers in front of the listeners that speak the PROXY protocol; none when unset.")
        @Nullable ProxyProtocol proxyProtocol,

        @JsonProperty(defaultValue = "off")
        @JsonPropertyDescription(
                "How the kernel delivers connections for other addresses to http_listen and https_listen: not at all (off), by translating the destination (redirect), or by tproxy. Linux only.")
        Transparent transparent) {

    public ProxySection {
        upstreamResponseHeaderTimeouts = List.copyOf(upstreamResponseHeaderTimeouts);
        upstreamDenyCidrs = List.copyOf(upstreamDenyCidrs);
    }

    /** A limit on the wait for the heads of some responses. */
    public record HeaderTimeout(
            @JsonProperty(required = true) @JsonPropertyDescription("The requests that it is for.")
            List<Rule> rules,

            @JsonProperty(required = true)
            @Range(min = "1ms")
            @JsonPropertyDescription("How long to wait for the head of the response.")
            Duration timeout)
            implements SelfValidating {

        public HeaderTimeout {
            rules = List.copyOf(rules);
        }

        @Override
        public void check(Problems problems) {
            if (rules.isEmpty()) {
                problems.add("/rules", "an empty list", "at least one rule");
            }
        }
    }

    /** The responses from which credentials are removed. */
    public enum RedactResponses {
        /** As {@link #SWAPPED}, but not if the origin's address is loopback. */
        AUTO,
        /** Those from origins to which they were sent. */
        SWAPPED,
        /** Those to requests that carried them. */
        EXCHANGE,
        /** All from destinations where they may be put in. */
        ALWAYS,
        /** None. */
        OFF
    }

    /** What becomes of the fields that name a request's trace. */
    public enum Trace {
        /** They pass unchanged. */
        PASS,
        /** The origin's parent is the span of the proxy. */
        CONTINUE,
        /** They are removed. */
        STRIP
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
        /** They continue. */
        KEEP,
        /** Host-level policy judges them again and ends those that it now refuses. */
        RECHECK
    }

    /** Whether clients may speak TLS with the proxy itself on the tunnel listener. */
    public enum TunnelTls {
        /** If they begin with a ClientHello, in mode {@code mitm}. */
        AUTO,
        /** They may not. */
        OFF
    }

    /** Where a client learns that its tunnel is refused. */
    public enum TunnelDenials {
        /** In the answer to CONNECT or SOCKS5. */
        CONNECT,
        /** In the answers to the requests inside. */
        INSIDE
    }

    /** How the kernel delivers connections for other addresses. */
    public enum Transparent {
        /** It does not: clients connect to the proxy itself. */
        OFF,
        /**
         * By translating their destination (nftables {@code redirect}, {@code dnat}): the proxy asks the kernel for the
         * original one.
         */
        REDIRECT,
        /** By {@code tproxy}: sockets that listen for any address, whose local address is the original destination. */
        TPROXY
    }

    /** Load balancers that send the client's address. */
    public record ProxyProtocol(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "Ranges of the load balancers. They must begin each connection with a header of version 1 or 2; headers from elsewhere are not trusted.")
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
            @JsonPropertyDescription("Time limit for connecting, for all addresses of a name together.")
            Duration connectTimeout,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("Time limit for the TLS handshake, and for an origin's first HTTP/2 frame.")
            Duration tlsHandshakeTimeout,

            @JsonProperty(defaultValue = "60s")
            @Range(min = "1ms")
            @JsonPropertyDescription(
                    "How long an origin that has not answered may accept none of a request body; beyond, 504.")
            Duration requestBodyTimeout,

            @JsonProperty(defaultValue = "90s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long an idle connection is kept for reuse.")
            Duration idleTimeout,

            @JsonProperty(defaultValue = "10m")
            @Range(min = "1s")
            @JsonPropertyDescription("Age after which a connection gets no more requests.")
            Duration maxConnectionAge,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "1")
            @JsonPropertyDescription("Most idle connections to all origins; the one idle for longest is closed first.")
            int maxIdleConnections,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "1")
            @JsonPropertyDescription(
                    "Most connections to one origin at a time; further requests wait. One client uses at most four fifths of them, and many leave some to the next.")
            int maxConnectionsPerOrigin,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "0")
            @JsonPropertyDescription(
                    "Most exchanges that wait for a connection to one origin, of one client four fifths; beyond, 503.")
            int maxWaitingPerOrigin,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("Time limit for one exchange to wait for a connection.")
            Duration waitTimeout,

            @JsonProperty(defaultValue = "64KiB")
            @Range(min = "1KiB", max = "1MiB")
            @JsonPropertyDescription("Most bytes of the head of a response; beyond, 502.")
            ByteSize headerBytes) {}

    /** What a reload does. */
    public record Reload(
            @JsonProperty(defaultValue = "keep")
            @JsonPropertyDescription(
                    "What becomes of tunnels, WebSockets, event streams and other exchanges that outlive a reload: they go on (keep), or the new policy judges their hosts, and those that it refuses end within two seconds (recheck).")
            LongLived longLived) {}
}
