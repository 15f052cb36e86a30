package dev.sallyport.core.resolve;

import dev.sallyport.core.resolve.ResolveException.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.HostsFileEntriesResolver;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Resolves names for one loop, and runs on it. Look-ups of a name that is already being resolved join in.
 *
 * <p>A and AAAA are queried separately and at once; the failure of one does not spoil the other.
 */
final class LoopResolver implements AutoCloseable {

    private static final HostsFileEntriesResolver NO_HOSTS = (name, types) -> null;
    private static final int MAX_CAUSES = 8;

    /** Nobody tries more, and an answer over TCP may have thousands. */
    private static final int MOST_ADDRESSES = 128;

    private final EventLoop loop;
    private final ResolverSettings settings;
    private final AddressFamilies families;
    private final AddressCache cache;
    private final LookupMeters meters;
    private final DnsNameResolver dns;
    private final Map<String, Lookup> underWay = new HashMap<>();

    LoopResolver(
            EventLoop loop,
            ResolverSettings settings,
            AddressFamilies families,
            AddressCache cache,
            LookupMeters meters) {
        this.loop = loop;
        this.settings = settings;
        this.families = families;
        this.cache = cache;
        this.meters = meters;
        this.dns = newDns();
    }

    /**
     * Makes Netty draw the query identifiers for the first server, 16,384 of them, one by one from a secure random. It
     * does so with the first query, which takes 10 to 30 ms in a young JVM. This query cannot be encoded, so that none
     * is sent. On the loop.
     */
    void prepare() {
        InetSocketAddress server = dns.queryDnsServerAddressStream().duplicate().next();
        dns.query(server, new Unwritable());
    }

    /** A question whose name cannot be encoded. */
    private static final class Unwritable extends DefaultDnsQuestion {

        Unwritable() {
            super("prepare.invalid.", DnsRecordType.A);
        }

        @Override
        public String name() {
            throw new IllegalStateException("not to be asked");
        }

        @Override
        public String toString() {
            return "a question that cannot be written";
        }
    }

    /** On the loop. */
    void resolve(String host, Promise<List<InetAddress>> promise) {
        Lookup lookup = underWay.get(host);
        if (lookup == null) {
            lookup = new Lookup(host);
            underWay.put(host, lookup);
            lookup.waiting.add(promise);
            lookup.start();
        } else {
            lookup.waiting.add(promise);
        }
    }

    /** From any thread. */
    @Override
    public void close() {
        dns.close();
    }

    private DnsNameResolver newDns() {
        ChannelTypes transport = ChannelTypes.of(loop);
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(loop)
                .datagramChannelType(transport.datagram())
                .socketChannelFactory(() -> limited(transport))
                .nameServerProvider(new RetryingServers(NameServers.provider(settings.server())))
                .hostsFileEntriesResolver(NO_HOSTS)
                // Results are kept in our own cache, which is bounded.
                .resolveCache(NoopDnsCache.INSTANCE)
                .cnameCache(NoopDnsCnameCache.INSTANCE)
                .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
                .queryTimeoutMillis(Math.max(1, settings.timeout().toMillis() / RetryingServers.ATTEMPTS));
        if (settings.server() != null) {
            builder.searchDomains(List.of());
        }
        return builder.build();
    }

    private static SocketChannel limited(ChannelTypes transport) {
        SocketChannel channel = new ReflectiveChannelFactory<>(transport.stream()).newChannel();
        channel.pipeline().addLast(new AnswerLimit());
        return channel;
    }

    /** The look-up of one name. */
    private final class Lookup {

        private final String host;
        private final List<Promise<List<InetAddress>>> waiting = new ArrayList<>(1);
        private final List<InetAddress> addresses = new ArrayList<>(4);
        private final long startNanos = System.nanoTime();
        private long ttlSeconds = Long.MAX_VALUE;
        private int open;
        private @Nullable Kind failure;
        private @Nullable ScheduledFuture<?> deadline;

        Lookup(String host) {
            this.host = host;
        }

        void start() {
            deadline = loop.schedule(this::timedOut, settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
            open = families.six() ? 2 : 1;
            ask(DnsRecordType.A);
            if (families.six()) {
                ask(DnsRecordType.AAAA);
            }
        }

        private void ask(DnsRecordType type) {
            DnsQuestion question;
            try {
                // The trailing dot makes the name absolute: no search domain is tried.
                question = new DefaultDnsQuestion(host.indexOf('.') < 0 ? host : host + '.', type);
            } catch (IllegalArgumentException e) {
                failed(Kind.NOT_FOUND);
                answered();
                return;
            }
            dns.resolveAll(question).addListener((Future<List<DnsRecord>> future) -> answered(type, future));
        }

        private void answered(DnsRecordType type, Future<List<DnsRecord>> future) {
            if (future.isSuccess()) {
                for (DnsRecord record : future.getNow()) {
                    take(type, record);
                }
            } else {
                failed(kindOf(future.cause()));
            }
            answered();
        }

        private void take(DnsRecordType type, DnsRecord record) {
            try {
                if (addresses.size() < MOST_ADDRESSES
                        && record.type().equals(type)
                        && record instanceof DnsRawRecord raw) {
                    InetAddress address = address(raw.content());
                    if (address != null && !addresses.contains(address)) {
                        addresses.add(address);
                        ttlSeconds = Math.min(ttlSeconds, record.timeToLive());
                    }
                }
            } finally {
                ReferenceCountUtil.release(record);
            }
        }

        /** See {@link Kind}: a name has no address only when no query is still open. */
        private void failed(Kind kind) {
            failure = failure == null || kind.compareTo(failure) < 0 ? kind : failure;
        }

        private void answered() {
            if (--open == 0) {
                finish(
                        addresses.isEmpty()
                                ? new LookupResult.Failed(exception(failure == null ? Kind.NO_ADDRESS : failure))
                                : new LookupResult.Found(families.interleave(addresses), ttlSeconds));
            }
        }

        private void timedOut() {
            finish(
                    addresses.isEmpty()
                            ? new LookupResult.Failed(exception(Kind.TIMEOUT))
                            : new LookupResult.Found(families.interleave(addresses), ttlSeconds));
        }

        private void finish(LookupResult answer) {
            if (!underWay.remove(host, this)) {
                return;
            }
            if (deadline != null) {
                deadline.cancel(false);
            }
            meters.ended(startNanos, answer);
            cache.put(host, answer);
            for (Promise<List<InetAddress>> promise : waiting) {
                answer.tell(promise);
            }
        }

        private ResolveException exception(Kind kind) {
            return new ResolveException(
                    kind,
                    switch (kind) {
                        case NOT_FOUND -> "the name " + host + " does not exist";
                        case NO_ADDRESS -> "the resolver has no address for " + host;
                        case FAILED -> "the resolver failed to answer for " + host;
                        case TIMEOUT -> "the resolver did not answer in time for " + host;
                    });
        }
    }

    private static @Nullable InetAddress address(ByteBuf content) {
        int length = content.readableBytes();
        if (length != 4 && length != 16) {
            return null;
        }
        byte[] bytes = new byte[length];
        content.getBytes(content.readerIndex(), bytes);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static Kind kindOf(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof DnsNameResolverTimeoutException) {
                return Kind.TIMEOUT;
            }
            if (cause instanceof DnsErrorCauseException error) {
                return error.getCode().equals(DnsResponseCode.NXDOMAIN) ? Kind.NOT_FOUND : Kind.FAILED;
            }
        }
        return failure instanceof UnknownHostException && failure.getCause() == null ? Kind.NO_ADDRESS : Kind.FAILED;
    }
}
