package dev.sallyport.core;

import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.net.Http2Limits;
import dev.sallyport.core.net.HttpLimits;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.net.Transparency;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.upstream.UpstreamSettings;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.CidrSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the sections of a configuration into the settings of the parts. */
final class Mapping {

    /** How long a transform waits for a body; the idle timeout of the connection is the client's own limit. */
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration CLIENT_HELLO_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LINGER_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORTEST_IDLE = Duration.ofMillis(1);

    private Mapping() {}

    static List<ListenerSettings> listeners(ProxySection proxy) {
        List<ListenerSettings> listeners = new ArrayList<>(3);
        add(listeners, ListenerKind.HTTP, proxy.httpListen(), proxy);
        add(listeners, ListenerKind.HTTPS, proxy.httpsListen(), proxy);
        add(listeners, ListenerKind.TUNNEL, proxy.tunnelListen(), proxy);
        return listeners;
    }

    private static void add(
            List<ListenerSettings> listeners, ListenerKind kind, @Nullable ListenAddress address, ProxySection proxy) {
        if (address != null) {
            ProxySection.ProxyProtocol balancers = proxy.proxyProtocol();
            Transparency transparency = switch (proxy.transparent()) {
                case OFF -> Transparency.OFF;
                case REDIRECT -> Transparency.REDIRECT;
                case TPROXY -> Transparency.TPROXY;
            };
            listeners.add(new ListenerSettings(
                    kind,
                    address.toSocketAddress(),
                    CidrSet.of(balancers == null ? List.of() : balancers.from()),
                    transparency));
        }
    }

    static HttpLimits http(ProxySection.Limits limits) {
        return new HttpLimits(
                Math.toIntExact(limits.headers().bytes()),
                Math.toIntExact(limits.requestLine().bytes()),
                limits.headerCount(),
                limits.headerReadTimeout(),
                limits.clientIdleTimeout(),
                limits.handshakeTimeout(),
                CLIENT_HELLO_TIMEOUT,
                limits.handshakeTimeout(),
                LINGER_TIMEOUT,
                limits.connections(),
                HttpLimits.Patience.DEFAULTS,
                Http2Limits.defaults());
    }

    static UpstreamSettings upstream(ProxySection proxy) {
        ProxySection.Upstream upstream = proxy.upstream();
        Duration idle = upstream.idleTimeout().isZero() ? SHORTEST_IDLE : upstream.idleTimeout();
        return new UpstreamSettings(
                upstream.connectTimeout(),
                upstream.tlsHandshakeTimeout(),
                proxy.upstreamResponseHeaderTimeout(),
                idle,
                upstream.maxConnectionAge(),
                upstream.maxConnectionsPerOrigin(),
                upstream.maxConnectionsPerOrigin(),
                QUEUE_TIMEOUT,
                Math.toIntExact(proxy.limits().headers().bytes()));
    }

    static PipelineSettings pipeline(ProxySection proxy) {
        return new PipelineSettings(
                proxy.limits().transformTimeout(), BODY_TIMEOUT, proxy.maxRequestBodyBytes(), responseCap(proxy));
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

    /** JSON pointers of what differs and takes effect only with a restart. */
    static List<String> restartRequired(ProxyConfig now, ProxyConfig next) {
        List<String> pointers = new ArrayList<>();
        differs(pointers, "/dns", now.dns(), next.dns());
        differs(
                pointers,
                "/proxy/http_listen",
                now.proxy().httpListen(),
                next.proxy().httpListen());
        differs(
                pointers,
                "/proxy/https_listen",
                now.proxy().httpsListen(),
                next.proxy().httpsListen());
        differs(
                pointers,
                "/proxy/tunnel_listen",
                now.proxy().tunnelListen(),
                next.proxy().tunnelListen());
        differs(
                pointers,
                "/proxy/proxy_protocol",
                now.proxy().proxyProtocol(),
                next.proxy().proxyProtocol());
        differs(
                pointers,
                "/proxy/transparent",
                now.proxy().transparent(),
                next.proxy().transparent());
        differs(pointers, "/tls", now.tls(), next.tls());
        differs(pointers, "/management", now.management(), next.management());
        differs(pointers, "/metrics", now.metrics(), next.metrics());
        differs(pointers, "/log/audit", now.log().audit(), next.log().audit());
        ProxySection.Limits limits = now.proxy().limits();
        ProxySection.Limits nextLimits = next.proxy().limits();
        differs(pointers, "/proxy/limits/buffered_bytes", limits.bufferedBytes(), nextLimits.bufferedBytes());
        differs(pointers, "/proxy/limits/blocking_threads", limits.blockingThreads(), nextLimits.blockingThreads());
        if (!http(limits).equals(http(nextLimits))) {
            pointers.add("/proxy/limits");
        }
        return pointers;
    }

    private static void differs(
            List<String> pointers, String pointer, @Nullable Object before, @Nullable Object after) {
        if (!java.util.Objects.equals(before, after)) {
            pointers.add(pointer);
        }
    }
}
