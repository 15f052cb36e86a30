package dev.sallyport.core.tls;

import dev.sallyport.core.meter.OutcomeTimer;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ReferenceCountedOpenSslServerContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Terminates TLS from clients with <b>one</b> context for all names, since a context takes 52 KB; and with one more where halves of
 * connections are to end by themselves, which that one of BoringSSL cannot. Thread-safe.
 *
 * <p>Sessions are resumed (tickets for TLS 1.2 and 1.3). The destination always comes from the current ClientHello,
 * never from a resumed session.
 */
public final class ServerTls implements AutoCloseable {

    private static final int SESSION_CACHE_SIZE = 4096;
    private static final int SESSION_SECONDS = 3600;

    private final LeafKeyManager keys;
    private final OutcomeTimer handshakes;
    private final SslContext context;

    /** Whose halves end by themselves. */
    private final LazyContext halves;

    /**
     * Creates the context.
     *
     * @param alpn protocols in order of preference; none: no ALPN
     * @throws IllegalStateException when the provider cannot do it
     */
    public ServerTls(TlsProvider provider, List<String> alpn) {
        this(provider, alpn, OutcomeTimer.NONE);
    }

    /** As {@link #ServerTls(TlsProvider, List)}; handshakes are timed. */
    public ServerTls(TlsProvider provider, List<String> alpn, OutcomeTimer handshakes) {
        this.handshakes = handshakes;
        this.keys = new LeafKeyManager();
        this.context = context(provider, keys, alpn);
        this.halves = new LazyContext(() -> context(TlsProvider.JDK, keys, alpn));
        if (context instanceof ReferenceCountedOpenSslServerContext boring) {
            // Without this TLS 1.2 resumes by session id only. No keys given: BoringSSL makes and rotates its own.
            boring.sessionContext().setTicketKeys();
        }
    }

    private static SslContext context(TlsProvider provider, LeafKeyManager keys, List<String> alpn) {
        try {
            return SslContextBuilder.forServer(keys)
                    .sslProvider(provider.netty())
                    .protocols(Alpn.TLS_VERSIONS)
                    .applicationProtocolConfig(Alpn.config(alpn))
                    .sessionCacheSize(SESSION_CACHE_SIZE)
                    .sessionTimeout(SESSION_SECONDS)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up with the provider " + provider, e);
        }
    }

    /**
     * Creates the handler for one connection that shows this leaf, which may be evicted meanwhile. The negotiated
     * protocol is {@link SslHandler#applicationProtocol()}, null when there was no ALPN.
     *
     * <p>The pipeline owns the handler. Where it cannot be added, the caller releases {@link SslHandler#engine()}.
     */
    public SslHandler newHandler(ByteBufAllocator allocator, LeafCertificate leaf) {
        return newHandler(context, allocator, leaf);
    }

    /** As {@link #newHandler}; each half of the connection ends by itself, if its version is one of {@link TlsHalves}. */
    public SslHandler newHandlerOfHalves(ByteBufAllocator allocator, LeafCertificate leaf) {
        return newHandler(halves.get(), allocator, leaf);
    }

    /** Makes what {@link #newHandlerOfHalves} needs, which takes a while: not on an event loop. */
    public void prepareHalves() {
        halves.get();
    }

    private SslHandler newHandler(SslContext from, ByteBufAllocator allocator, LeafCertificate leaf) {
        keys.show(leaf);
        // The peer's host is the one attribute of an engine that both providers hand on to key managers.
        SslHandler handler = from.newHandler(allocator, leaf.alias(), -1);
        handler.handshakeFuture().addListener(new LeafHolder(leaf, handshakes, System.nanoTime()));
        return handler;
    }

    /** Releases the context; open connections keep what they need. */
    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }

    /**
     * Keeps a leaf reachable until its handshake has ended (a future releases its listeners when it completes), then
     * records the duration.
     */
    private record LeafHolder(LeafCertificate leaf, OutcomeTimer timer, long startNanos)
            implements FutureListener<Channel> {

        @Override
        public void operationComplete(Future<Channel> handshake) {
            timer.since(startNanos, handshake.isSuccess());
        }
    }
}
