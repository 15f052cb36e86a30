package dev.sallyport.core;

import dev.sallyport.core.audit.Rotation;
import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.ConfigDiff;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.LogSection;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.ServerAddress;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.exchange.ProblemForm;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.redact.RedactionSettings;
import dev.sallyport.core.resolve.NameServers;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.upstream.DialGuard;
import dev.sallyport.core.upstream.HeaderTimeouts;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.HostGlobs;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Maps the sections of a configuration to the settings of components. */
final class ConfigMapper {

    /** What sockets, threads and queues were made from: changes take effect with a restart only. */
    private static final List<String> FIXED = List.of(
            "/dns/enabled",
            "/dns/listen",
            "/proxy/http_listen",
            "/proxy/https_listen",
            "/proxy/tunnel_listen",
            "/proxy/proxy_protocol",
            "/proxy/transparent",
            "/proxy/limits/blocking_threads",
            "/tls/mode",
            "/management",
            "/metrics",
            "/log/audit/stdout",
            "/log/audit/file",
            "/log/audit/chain",
            "/log/audit/checkpoint",
            "/log/audit/slots");

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final String ANY_NAME = "example.com";

    private ConfigMapper() {}

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
            listeners.add(new ListenerSettings(
                    kind,
                    address.toSocketAddress(),
                    CidrSet.of(balancers == null ? List.of() : balancers.from()),
                    proxy.transparent()));
        }
    }

    static PipelineSettings pipeline(ProxySection proxy) {
        return new PipelineSettings(
                proxy.limits().transformTimeout(), proxy.limits().transformBodyTimeout(), caps(proxy));
    }

    static RedactionSettings redaction(ProxySection proxy) {
        RedactResponse responses = switch (proxy.redactResponses()) {
            case AUTO -> null;
            case SWAPPED -> RedactResponse.SWAPPED;
            case EXCHANGE -> RedactResponse.EXCHANGE;
            case ALWAYS -> RedactResponse.ALWAYS;
            case OFF -> RedactResponse.OFF;
        };
        return new RedactionSettings(responses, proxy.redactAfterRemoval());
    }

    /**
     * Maps what concerns an exchange.
     *
     * @param mode the mode that the proxy runs in, which a reload does not change
     * @param problems how the application wants refusals and failures to be told
     */
    static ExchangeSettings exchange(ProxyConfig config, TlsSection.Mode mode, ProblemForm problems) {
        ProxySection proxy = config.proxy();
        return new ExchangeSettings(
                caps(proxy),
                proxy.limits().relayIdleTimeout(),
                proxy.stripAltSvc(),
                deniesInside(config, mode),
                problems,
                proxy.trace(),
                HeaderTimeouts.of(proxy.upstreamResponseHeaderTimeouts()));
    }

    /** Nothing can be answered inside TLS that is passed through. */
    private static Predicate<String> deniesInside(ProxyConfig config, TlsSection.Mode mode) {
        if (mode == TlsSection.Mode.SNI_ONLY || config.proxy().tunnelDenials() == ProxySection.TunnelDenials.CONNECT) {
            return host -> false;
        }
        HostGlobs passed = passed(config.tls());
        return host -> !passed.matches(host);
    }

    private static BodyCaps caps(ProxySection proxy) {
        long response = proxy.maxResponseBodyBytes();
        return new BodyCaps(proxy.maxRequestBodyBytes(), response == 0 ? Long.MAX_VALUE : response);
    }

    static ResolverSettings resolver(DnsSection dns) {
        ResolverSettings system = ResolverSettings.system();
        return dns.upstreamResolver() == null
                ? system
                : system.withServer(dns.upstreamResolver().toSocketAddress());
    }

    /** The fault when a DNS server would query itself; empty for none. */
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
     * The other addresses that lead back to the proxy: further listeners of this process, and the target of steered
     * names, which need not be an address of this machine.
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

    static LeafCache.Settings leaves(ProxyConfig config) {
        return new LeafCache.Settings(
                config.tls().certCacheSize(),
                Duration.ofHours(config.tls().leafCertExpiryHours()),
                config.tls().leafBackdate(),
                config.tls().crl());
    }

    /** The mode, as in audit records. */
    static String mode(TlsSection tls) {
        return switch (tls.mode()) {
            case MITM -> "mitm";
            case SNI_ONLY -> "sni-only";
        };
    }

    /** When the audit file is closed and another begun. */
    static Rotation rotation(LogSection.Rotate rotate) {
        Integer keep = rotate.keep();
        return new Rotation(rotate.size().bytes(), rotate.age(), keep == null ? Integer.MAX_VALUE : keep);
    }

    /** The hosts that are passed through; their patterns were checked with the configuration. */
    static HostGlobs passed(TlsSection tls) {
        return HostGlobs.compile(
                tls.passthrough(),
                (pointer, message, expected) -> {
                    throw new IllegalStateException(pointer + ": " + message);
                },
                "/tls/passthrough");
    }

    /** The JSON pointers of differences that take effect only with a restart. */
    static List<String> restartRequired(ProxyConfig now, ProxyConfig next) {
        List<String> fixed = new ArrayList<>(FIXED);
        now.companions().forEach(companion -> fixed.add(companion.pointer()));
        next.companions().forEach(companion -> fixed.add(companion.pointer()));
        return ConfigDiff.changed(now, next).stream()
                .filter(pointer -> isFixed(pointer, fixed))
                .toList();
    }

    private static boolean isFixed(String pointer, List<String> all) {
        return all.stream().anyMatch(fixed -> pointer.equals(fixed) || pointer.startsWith(fixed + "/"));
    }
}
