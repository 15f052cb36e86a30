package dev.sallyport.core.resolve;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Resolves the names of upstreams; the package documentation says how. Every loop queries for itself, through a socket
 * of its own; results are shared. Thread-safe.
 */
public final class Resolver implements AutoCloseable {

    private static final String LOCALHOST = "localhost";

    private final ResolverSettings settings;
    private final AddressCache cache;
    private final HostsFile hosts;
    private final AddressFamilies families;
    private final LookupMeters meters;
    private final ConcurrentMap<EventLoop, LoopResolver> loops = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Reads the hosts file and the network interfaces; may block. */
    public Resolver(ResolverSettings settings) {
        this(settings, LookupMeters.none());
    }

    /** As {@link #Resolver(ResolverSettings)}; look-ups are timed. */
    public Resolver(ResolverSettings settings, LookupMeters meters) {
        this(settings, HostsFile.system(), AddressFamilies.ofThisMachine(), Ticker.systemTicker(), meters);
    }

    Resolver(ResolverSettings settings, HostsFile hosts, AddressFamilies families, Ticker ticker) {
        this(settings, hosts, families, ticker, LookupMeters.none());
    }

    private Resolver(
            ResolverSettings settings, HostsFile hosts, AddressFamilies families, Ticker ticker, LookupMeters meters) {
        this.settings = settings;
        this.hosts = hosts;
        this.families = families;
        this.meters = meters;
        this.cache = new AddressCache(settings.cache(), ticker);
    }

    /**
     * All addresses of a canonical name or address text, in the order in which to try them (RFC 8305): never empty.
     * Fails with {@link ResolveException}. The future belongs to the loop; from any thread.
     */
    public Future<List<InetAddress>> resolveAll(EventLoop loop, String host) {
        InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
        if (literal != null) {
            return loop.newSucceededFuture(List.of(literal));
        }
        List<InetAddress> local = local(host);
        if (!local.isEmpty()) {
            return loop.newSucceededFuture(families.interleave(local));
        }
        LookupResult cached = cache.get(host);
        if (cached != null) {
            meters.cached();
            Promise<List<InetAddress>> known = loop.newPromise();
            cached.tell(known);
            return known;
        }
        return ask(loop, host);
    }

    private List<InetAddress> local(String host) {
        List<InetAddress> listed = hosts.addresses(host);
        if (listed.isEmpty() && (host.equals(LOCALHOST) || host.endsWith("." + LOCALHOST))) {
            return families.six() ? List.of(NetUtil.LOCALHOST4, NetUtil.LOCALHOST6) : List.of(NetUtil.LOCALHOST4);
        }
        return listed;
    }

    private Future<List<InetAddress>> ask(EventLoop loop, String host) {
        Promise<List<InetAddress>> promise = loop.newPromise();
        if (closed) {
            return promise.setFailure(
                    new ResolveException(ResolveException.Kind.FAILED, "the resolver has been closed"));
        }
        LoopResolver resolver = of(loop);
        if (loop.inEventLoop()) {
            resolver.resolve(host, promise);
        } else {
            loop.execute(() -> resolver.resolve(host, promise));
        }
        return promise;
    }

    /** Does in advance what the first look-up of a loop would wait for. From any thread; completes when all is done. */
    public Future<?> prepare(EventLoop loop) {
        return loop.submit(() -> {
            if (!closed) {
                of(loop).prepare();
            }
        });
    }

    private LoopResolver of(EventLoop loop) {
        return loops.computeIfAbsent(loop, key -> new LoopResolver(key, settings, families, cache, meters));
    }

    /** Closes the sockets; resolutions in progress fail. */
    @Override
    public void close() {
        closed = true;
        loops.values().forEach(LoopResolver::close);
        loops.clear();
    }
}
