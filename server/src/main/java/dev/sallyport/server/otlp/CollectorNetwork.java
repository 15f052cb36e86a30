package dev.sallyport.server.otlp;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ServerAddress;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.resolve.Resolver;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.upstream.DialGuard;
import dev.sallyport.core.upstream.OperatorHttp;
import dev.sallyport.core.upstream.OperatorSockets;
import dev.sallyport.core.upstream.OriginTimeouts;
import dev.sallyport.core.upstream.UpstreamPools;
import dev.sallyport.core.upstream.UpstreamProfile;
import dev.sallyport.toolkit.match.CidrSet;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to collectors: on an event loop of their own, so that they outlive the proxy's and never take time from
 * exchanges, with the resolver, the trust and the parent proxies that the configuration names. The dial guard does not apply
 * (docs/spec/decisions.md, section 12). Thread-safe.
 */
final class CollectorNetwork implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CollectorNetwork.class);

    /** Its threads: what is logged on them is not exported. */
    static final String THREAD = "sallyport-otlp";

    private static final List<String> HTTP1 = List.of("http/1.1");
    private static final Duration TO_END = Duration.ofSeconds(1);

    private final EventLoops loops = EventLoops.single(THREAD);
    private final Queue<Resolver> resolvers = new ConcurrentLinkedQueue<>();
    private final Queue<ClientTls> trust = new ConcurrentLinkedQueue<>();
    private final Queue<Way> ways = new ConcurrentLinkedQueue<>();
    private volatile ProxyConfig config;
    private volatile Resolver resolver;
    private volatile Parents parents;

    /** Connections with the collector of one target. */
    private record Way(Target target, UpstreamPools pools) {}

    /**
     * Reads the hosts file and the network interfaces; may block.
     *
     * @param parents what collectors are reached through
     */
    CollectorNetwork(ProxyConfig config, Parents parents) {
        this.config = config;
        this.parents = parents;
        resolver = resolver(config);
    }

    private Resolver resolver(ProxyConfig from) {
        ServerAddress server = from.dns().upstreamResolver();
        ResolverSettings system = ResolverSettings.system();
        Resolver made = new Resolver(server == null ? system : system.withServer(server.toSocketAddress()));
        resolvers.add(made);
        return made;
    }

    /** The resolver that a new configuration names is asked from now on; former ones are closed with the network. */
    void reconfigure(ProxyConfig next) {
        if (!Objects.equals(config.dns().upstreamResolver(), next.dns().upstreamResolver())) {
            resolver = resolver(next);
        }
        config = next;
    }

    private Future<List<InetAddress>> resolveAll(EventLoop loop, String host) {
        return resolver.resolveAll(loop, host);
    }

    /** Has new connections go out through these; those through others are not used again. */
    synchronized void through(Parents next) {
        if (next.equals(parents)) {
            return;
        }
        parents = next;
        ways.forEach(way -> way.pools.reconfigure(profile(way.target)));
    }

    /** The ways to the collector of a target. Blocks to read certificates. */
    synchronized Collector to(Target target) {
        TrustRoots roots = roots(target);
        UpstreamPools pools = new UpstreamPools(profile(target, roots));
        ways.add(new Way(target, pools));
        return new Collector(new OperatorHttp(loops.group(), pools), new OperatorSockets(loops.group(), pools), roots);
    }

    private UpstreamProfile profile(Target target) {
        return profile(target, roots(target));
    }

    private UpstreamProfile profile(Target target, TrustRoots roots) {
        ClientTls tls = new ClientTls(TlsProvider.best(), roots, HTTP1);
        trust.add(tls);
        return new UpstreamProfile(
                config.proxy().upstream(),
                new OriginTimeouts(target.timeout(), target.timeout()),
                this::resolveAll,
                tls,
                new DialGuard(CidrSet.of(List.of()), List.of()),
                parents);
    }

    /** What the certificates of a collector, and of a parent in front of it, must end in. */
    private TrustRoots roots(Target target) {
        TrustRoots own = target.roots();
        if (own != null) {
            return own;
        }
        Parent parent = parents.http();
        boolean needed = target.secure() || (parent != null && parent.place().secure());
        return needed ? roots() : TrustRoots.none();
    }

    /** Those by which origins are verified. */
    private TrustRoots roots() {
        try {
            TrustRoots system = TrustRoots.system();
            Path more = config.tls().upstreamCa();
            return more == null ? system : system.plus(more);
        } catch (TlsMaterialException e) {
            LOG.error("otlp: no collector is trusted, since the roots cannot be read: {}: {}", e.file(), e.problem());
            return TrustRoots.none();
        }
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        ways.forEach(way -> way.pools.close());
        resolvers.forEach(Resolver::close);
        loops.close(TO_END);
        trust.forEach(ClientTls::close);
    }
}
