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
        @JsonPropertyDescription("Port that https_listen dials in mode sni-only.")
        int sniUpstreamPort,

        @JsonProperty(defaultValue = "true")
        @JsonPropertyDescription(
                "Whether responses lose Alt-Svc, which would lead clients around the proxy, to HTTP/3 for example.")
        boolean stripAltSvc,

        @JsonProperty(defaultValue = "warn")
        @JsonPropertyDescription(
                "What a questionable order of transforms is: a warning (warn) or a configuration error (strict).")
        Lint lint,

        @JsonPropertyDescription("Bounds of what clients may ask for and of what is held for them.")
        Limits limits,

        @JsonPropertyDescription("Connections to upstreams.")
        Upstream upstream,

        @JsonPropertyDescription("What a reload does.") Reload reload,

        @JsonPropertyDescription("Credentials that workloads show to the tunnel listener; none when unset.") @Nullable ProxyAuth auth)
        implements Checked {

    public ProxySection {
        upstreamDenyCidrs = List.copyOf(upstreamDenyCidrs);
    }

    /** What a questionable pipeline is. */
    public enum Lint {
        /** A warning. */
        WARN,
        /** A configuration error. */
        STRICT
    }

    /** What a reload does to tunnels, WebSockets and event streams that outlive it. */
    public enum LongLived {
        /** They go on. */
        KEEP,
        /** Host-level policy is asked again, and those that it now refuses end. */
        RECHECK
    }

    /** Bounds of what clients may ask for and of what is held for them. */
    public record Limits(
            @JsonProperty(defaultValue = "16KiB")
            @Range(min = "1KiB", max = "1MiB")
            @JsonPropertyDescription("Longest request line.")
            ByteSize requestLine,

            @JsonProperty(defaultValue = "64KiB")
            @Range(min = "1KiB", max = "1MiB")
            @JsonPropertyDescription("Most bytes of all headers of a message together.")
            ByteSize headers,

            @JsonProperty(defaultValue = "200")
            @Range(min = "16", max = "10000")
            @JsonPropertyDescription("Most headers of a message.")
            int headerCount,

            @JsonProperty(defaultValue = "10000")
            @Range(min = "1")
            @JsonPropertyDescription("Most client connections at a time; further ones wait to be accepted.")
            int connections,

            @JsonProperty(defaultValue = "256MiB")
            @Range(min = "1MiB")
            @JsonPropertyDescription("Most bytes of bodies buffered for all exchanges together; beyond, 503.")
            ByteSize bufferedBytes,

            @JsonProperty(defaultValue = "512")
            @Range(min = "1", max = "100000")
            @JsonPropertyDescription("Most blocking steps of transforms at a time; beyond, 503.")
            int blockingThreads,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long the TLS handshake of a client may take.")
            Duration handshakeTimeout,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long a client may take for the head of a request, from its first byte.")
            Duration headerReadTimeout,

            @JsonProperty(defaultValue = "120s")
            @Range(min = "1ms")
            @JsonPropertyDescription(
                    "How long a client connection may lie idle between requests, or a client in the middle of one leave unsent or unread what it owes.")
            Duration clientIdleTimeout,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long one step of a transform may take.")
            Duration transformTimeout,

            @JsonProperty(defaultValue = "30s")
            @JsonPropertyDescription("How long a shutdown waits for exchanges under way.")
            Duration drainTimeout) {}

    /** Connections to upstreams. */
    public record Upstream(
            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long connecting may take, for all addresses of a name together.")
            Duration connectTimeout,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long the TLS handshake may take.")
            Duration tlsHandshakeTimeout,

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
            @JsonPropertyDescription("Most connections to one origin at a time; further requests wait.")
            int maxConnectionsPerOrigin,

            @JsonProperty(defaultValue = "1024")
            @Range(min = "0")
            @JsonPropertyDescription("Most exchanges that wait for a connection to one origin; beyond, 503.")
            int maxWaitingPerOrigin,

            @JsonProperty(defaultValue = "10s")
            @Range(min = "1ms")
            @JsonPropertyDescription("How long one exchange waits for a connection.")
            Duration waitTimeout) {}

    /** What a reload does. */
    public record Reload(
            @JsonProperty(defaultValue = "keep")
            @JsonPropertyDescription(
                    "Tunnels, WebSockets and event streams that outlive a reload: keep them, or recheck host-level policy and end what it now refuses.")
            LongLived longLived) {}

    @Override
    public void check(Problems problems) {
        if (httpListen == null && httpsListen == null && tunnelListen == null) {
            problems.add("", "every listener is disabled", "one of http_listen, https_listen, tunnel_listen");
        }
    }
}
