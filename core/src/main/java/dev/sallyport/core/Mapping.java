package dev.sallyport.core;

import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.ConfigDiff;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.net.Http2Limits;
import dev.sallyport.core.net.HttpLimits;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.upstream.UpstreamSettings;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.HostGlobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the sections of a configuration into the settings of the parts. */
final class Mapping {

    /** What sockets, threads and queues were made from, and so takes effect with a restart only. */
    private static final List<String> FIXED = List.of(
            "/dns",
            "/proxy/http_listen",
            "/proxy/https_listen",
            "/proxy/tunnel_listen",
            "/proxy/limits/blocking_threads",
            "/tls/mode",
            "/management",
            "/metrics",
            "/log/audit");

    private Mapping() {}

    static List<ListenerSettings> listeners(ProxySection proxy) {
        List<ListenerSettings> listeners = new ArrayList<>(3);
        add(listeners, ListenerKind.HTTP, proxy.httpListen());
        add(listeners, ListenerKind.HTTPS, proxy.httpsListen());
        add(listeners, ListenerKind.TUNNEL, proxy.tunnelListen());
        return listeners;
    }

    private static void add(List<ListenerSettings> listeners, ListenerKind kind, @Nullable ListenAddress address) {
        if (address != null) {
            listeners.add(new ListenerSettings(kind, address.toSocketAddress()));
        }
    }

    static HttpLimits http(ProxyLimits limits) {
        return new HttpLimits(
                bytes(limits.headerBytes()),
                bytes(limits.requestLineBytes()),
                limits.headerCount(),
                limits.headerReadTimeout(),
                limits.clientIdleTimeout(),
                limits.firstBytesTimeout(),
                limits.clientHelloTimeout(),
                limits.handshakeTimeout(),
                limits.relayIdleTimeout(),
                limits.lingerTimeout(),
                limits.maxConnections(),
                limits.maxConnectionsPerAddress(),
                bytes(limits.clientHelloBytes()),
                new HttpLimits.Bodies(
                        bytes(limits.trailerBytes()), limits.trailerCount(), bytes(limits.chunkFramingBytes())),
                new HttpLimits.Patience(limits.halfClosedTimeout(), limits.bodyIdleTimeout(), leastOfBody(limits)),
                http2(limits.http2()));
    }

    private static Http2Limits http2(ProxyLimits.Http2 limits) {
        return new Http2Limits(
                limits.maxConcurrentStreams(),
                bytes(limits.streamWindowBytes()),
                limits.maxResets(),
                limits.resetsPerSecond(),
                limits.maxControlFrames(),
                limits.controlFramesPerSecond());
    }

    /** Bytes in each window. */
    private static int leastOfBody(ProxyLimits limits) {
        double least = limits.minBodyRateBytes() * (limits.bodyIdleTimeout().toNanos() / 1e9);
        return (int) Math.min(Integer.MAX_VALUE, least);
    }

    private static int bytes(ByteSize size) {
        return Math.toIntExact(size.bytes());
    }

    static UpstreamSettings upstream(ProxySection proxy) {
        ProxySection.Upstream upstream = proxy.upstream();
        return new UpstreamSettings(
                upstream.connectTimeout(),
                upstream.tlsHandshakeTimeout(),
                proxy.upstreamResponseHeaderTimeout(),
                upstream.idleTimeout(),
                upstream.maxConnectionAge(),
                upstream.maxConnectionsPerOrigin(),
                upstream.maxWaitingPerOrigin(),
                upstream.waitTimeout(),
                bytes(upstream.headerBytes()));
    }

    static PipelineSettings pipeline(ProxySection proxy) {
        return new PipelineSettings(
                proxy.limits().transformTimeout(),
                proxy.limits().transformBodyTimeout(),
                proxy.maxRequestBodyBytes(),
                responseCap(proxy));
    }

    static ExchangeSettings exchange(ProxySection proxy) {
        return new ExchangeSettings(proxy.maxRequestBodyBytes(), responseCap(proxy));
    }

    private static long responseCap(ProxySection proxy) {
        return proxy.maxResponseBodyBytes() == 0 ? Long.MAX_VALUE : proxy.maxResponseBodyBytes();
    }

    static ResolverSettings resolver(DnsSection dns) {
        ResolverSettings system = ResolverSettings.system();
        return dns.upstreamResolver() == null
                ? system
                : system.withServer(dns.upstreamResolver().toSocketAddress());
    }

    static Leaves.Settings leaves(ProxyConfig config) {
        return new Leaves.Settings(
                config.tls().certCacheSize(), Duration.ofHours(config.tls().leafCertExpiryHours()));
    }

    /** The mode as it stands in audit records. */
    static String mode(TlsSection tls) {
        return switch (tls.mode()) {
            case MITM -> "mitm";
            case SNI_ONLY -> "sni-only";
        };
    }

    /** The hosts that are passed through; their patterns have been checked with the configuration. */
    static HostGlobs passed(TlsSection tls) {
        return HostGlobs.compile(
                tls.passthrough(),
                (pointer, message, expected) -> {
                    throw new IllegalStateException(pointer + ": " + message);
                },
                "/tls/passthrough");
    }

    /** JSON pointers of what differs and takes effect only with a restart. */
    static List<String> restartRequired(ProxyConfig now, ProxyConfig next) {
        return ConfigDiff.changed(now, next).stream().filter(Mapping::isFixed).toList();
    }

    private static boolean isFixed(String pointer) {
        return FIXED.stream().anyMatch(fixed -> pointer.equals(fixed) || pointer.startsWith(fixed + "/"));
    }
}
