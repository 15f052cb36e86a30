package dev.sallyport.core;

import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.ServerAddress;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.net.Http2Limits;
import dev.sallyport.core.net.HttpLimits;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.resolve.NameServers;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.upstream.DialGuard;
import dev.sallyport.core.upstream.UpstreamSettings;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.CidrSet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final String ANY_NAME = "example.com";

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
        return new ExchangeSettings(proxy.maxRequestBodyBytes(), responseCap(proxy), proxy.stripAltSvc());
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

    /** What is wrong when a DNS server would ask itself, or nothing. */
    static String asksItself(InetSocketAddress own, DnsSection dns) {
        DialGuard self = new DialGuard(CidrSet.of(List.of()), List.of(own));
        ServerAddress configured = dns.upstreamResolver();
        for (InetSocketAddress server :
                NameServers.of(configured == null ? null : configured.toSocketAddress(), ANY_NAME)) {
            if (server.getAddress() != null && self.denies(server.getAddress(), server.getPort())) {
                return (configured == null
                                ? "the resolver of this machine is the DNS server of the proxy"
                                : "dns.upstream_resolver is the DNS server of the proxy")
                        + " itself, and would ask itself without end (expected: dns.upstream_resolver with the address of another)";
            }
        }
        return "";
    }

    /**
     * Where else we are reached, so that dialling it would lead back: the other listeners of this process, and where
     * steered names lead, which need not be addresses of this machine.
     */
    static List<InetSocketAddress> otherOwn(ProxyConfig config, List<InetSocketAddress> bound) {
        List<InetSocketAddress> own = new ArrayList<>();
        add(own, config.metrics().listen());
        add(own, config.management() == null ? null : config.management().listen());
        if (config.dns().enabled()) {
            for (InetAddress steered :
                    Arrays.asList(config.dns().proxyIp(), config.dns().proxyIp6())) {
                if (steered != null) {
                    own.add(new InetSocketAddress(steered, HTTP_PORT));
                    own.add(new InetSocketAddress(steered, HTTPS_PORT));
                    bound.forEach(listener -> own.add(new InetSocketAddress(steered, listener.getPort())));
                }
            }
        }
        return own;
    }

    private static void add(List<InetSocketAddress> own, @Nullable ListenAddress address) {
        InetSocketAddress socket = address == null ? null : address.toSocketAddress();
        if (socket != null && !socket.isUnresolved() && socket.getPort() != 0) {
            own.add(socket);
        }
    }

    static Leaves.Settings leaves(ProxyConfig config) {
        return new Leaves.Settings(
                config.tls().certCacheSize(), Duration.ofHours(config.tls().leafCertExpiryHours()));
    }

    /** JSON pointers of what differs and takes effect only with a restart. */
    static List<String> restartRequired(ProxyConfig now, ProxyConfig next) {
        List<String> pointers = new ArrayList<>();
        differs(pointers, "/dns/enabled", now.dns().enabled(), next.dns().enabled());
        differs(pointers, "/dns/listen", now.dns().listen(), next.dns().listen());
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
