package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.resolve.LookupMeters;
import dev.sallyport.core.resolve.Resolver;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.upstream.DialGuard;
import dev.sallyport.core.upstream.DialTimers;
import dev.sallyport.core.upstream.OriginTimeouts;
import dev.sallyport.core.upstream.UpstreamPools;
import dev.sallyport.core.upstream.UpstreamProfile;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The origins' side: names, trust and connections. What a reload has replaced is closed when nothing can use it any
 * more. Reconfigured by one thread at a time; otherwise thread-safe.
 */
final class UpstreamRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(UpstreamRuntime.class);

    /** How long what a reload has replaced is kept after the last dial that may use it. */
    private static final Duration RETIREMENT = Duration.ofMinutes(1);

    private final ScheduledExecutorService timers;
    private final UpstreamPools pools;
    private final LookupMeters lookups;

    /** What companions keep out of reach, by the pointers of their fields. */
    private final Map<String, IpRange> unreachable = new TreeMap<>();

    /** Includes those that a reload has replaced, as long as a dial may still use them. */
    private final Queue<ClientTls> clients = new ConcurrentLinkedQueue<>();

    /** Includes those that a reload has replaced, as long as a look-up may still use them. */
    private final Queue<Resolver> resolvers = new ConcurrentLinkedQueue<>();

    private volatile Resolver resolver;
    private volatile ProxyConfig config;
    private volatile ClientTls trust;
    private volatile Parents parents = Parents.NONE;
    private volatile List<InetSocketAddress> own = List.of();

    /** @param closer closes everything that is made */
    UpstreamRuntime(
            ProxyConfig config,
            ClientTls trust,
            ScheduledExecutorService timers,
            MeterRegistry meters,
            CloseStack closer) {
        this.timers = timers;
        this.config = config;
        this.trust = trust;
        config.companions().forEach(section -> unreachable.putAll(section.unreachable()));
        clients.add(trust);
        closer.add(() -> clients.forEach(ClientTls::close));
        lookups = LookupMeters.of(meters);
        resolver = new Resolver(ConfigMapper.resolver(config.dns()), lookups);
        resolvers.add(resolver);
        closer.add(() -> resolvers.forEach(Resolver::close));
        pools = closer.add(new UpstreamPools(profile(), DialTimers.of(meters)));
    }

    /**
     * Does in advance what the first look-up on each loop would wait for, and waits until it is done. Not on a loop.
     */
    void prepare(List<EventLoop> loops) {
        List<Future<?>> underWay = new ArrayList<>();
        loops.forEach(loop -> underWay.add(resolver.prepare(loop)));
        for (Future<?> prepared : underWay) {
            if (!prepared.awaitUninterruptibly().isSuccess()) {
                LOG.warn("no resolver could be prepared; the first look-up tries again", prepared.cause());
            }
        }
    }

    UpstreamPools pools() {
        return pools;
    }

    /** As {@link Resolver#resolveAll}, with the resolver in force. */
    Future<List<InetAddress>> resolveAll(EventLoop loop, String host) {
        return resolver.resolveAll(loop, host);
    }

    /**
     * Applies a new configuration to new connections.
     *
     * @param ownAddresses addresses on which this proxy listens, and which clients must not reach through it
     */
    void reconfigure(ProxyConfig next, ClientTls nextTrust, List<InetSocketAddress> ownAddresses) {
        ProxyConfig before = config;
        ClientTls former = trust;
        config = next;
        trust = nextTrust;
        if (!Objects.equals(before.dns().upstreamResolver(), next.dns().upstreamResolver())) {
            replaceResolver(ConfigMapper.resolver(next.dns()));
        }
        own = ownAddresses;
        pools.reconfigure(profile());
        if (former != nextTrust) {
            clients.add(nextTrust);
            ProxySection.Upstream limits = next.proxy().upstream();
            Duration dialling =
                    limits.waitTimeout().plus(limits.connectTimeout()).plus(limits.tlsHandshakeTimeout());
            timers.schedule(() -> retire(former), dialling.plus(RETIREMENT).toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** The ranges that new connections must not lead to. */
    List<IpRange> deniedRanges() {
        List<IpRange> ranges = new ArrayList<>(config.proxy().upstreamDenyCidrs());
        ranges.addAll(unreachable.values());
        return ranges;
    }

    private Map<String, CidrSet> denied() {
        Map<String, CidrSet> denied = new HashMap<>();
        denied.put("proxy.upstream_deny_cidrs", CidrSet.of(config.proxy().upstreamDenyCidrs()));
        unreachable.forEach(
                (pointer, range) -> denied.put(pointer.substring(1).replace('/', '.'), CidrSet.of(List.of(range))));
        return denied;
    }

    /** Has new connections go out through these. */
    void through(Parents next) {
        if (!next.equals(parents)) {
            parents = next;
            pools.reconfigure(profile());
        }
    }

    private void retire(ClientTls replaced) {
        clients.remove(replaced);
        replaced.close();
    }

    /** Look-ups in progress come to their end. */
    private void replaceResolver(ResolverSettings settings) {
        Resolver former = resolver;
        Resolver next = new Resolver(settings, lookups);
        resolvers.add(next);
        resolver = next;
        timers.schedule(() -> retire(former), 2 * settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void retire(Resolver replaced) {
        resolvers.remove(replaced);
        replaced.close();
    }

    private UpstreamProfile profile() {
        ProxySection proxy = config.proxy();
        Resolver names = resolver;
        return new UpstreamProfile(
                proxy.upstream(),
                new OriginTimeouts(
                        proxy.upstreamResponseHeaderTimeout(), proxy.upstream().requestBodyTimeout()),
                names::resolveAll,
                trust,
                new DialGuard(denied(), own),
                parents);
    }
}
