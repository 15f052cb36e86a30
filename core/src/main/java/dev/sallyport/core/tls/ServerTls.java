package dev.sallyport.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ReferenceCountedOpenSslServerContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Terminates the TLS of clients: <b>one</b> context for all names, since one for each would cost 52 KB. Thread-safe.
 *
 * <p>Sessions resume (tickets for TLS 1.2 and 1.3). A resumed session says nothing about the destination: that always
 * comes from the ClientHello in hand.
 */
public final class ServerTls implements AutoCloseable {

    private static final int SESSION_CACHE_SIZE = 4096;
    private static final int SESSION_SECONDS = 3600;

    private final LeafKeyManager keys;
    private final SslContext context;

    /**
     * Makes the context.
     *
     * @param alpn protocols in order of preference; none: no ALPN
     * @throws IllegalStateException when the provider cannot do it
     */
    public ServerTls(TlsProvider provider, List<String> alpn) {
        this.keys = new LeafKeyManager();
        try {
            context = SslContextBuilder.forServer(keys)
                    .sslProvider(provider.netty())
                    .protocols(Alpn.TLS_VERSIONS)
                    .applicationProtocolConfig(Alpn.config(alpn))
                    .sessionCacheSize(SESSION_CACHE_SIZE)
                    .sessionTimeout(SESSION_SECONDS)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up with the provider " + provider, e);
        }
        if (context instanceof ReferenceCountedOpenSslServerContext boring) {
            // Without this TLS 1.2 resumes by session id only. No keys given: BoringSSL makes and rotates its own.
            boring.sessionContext().setTicketKeys();
        }
    }

    /**
     * A handler for one connection that shows this leaf. The leaf may meanwhile leave its cache. The negotiated protocol
     * is {@link SslHandler#applicationProtocol()}, null when there was no ALPN.
     *
     * <p>The pipeline owns the handler. Where it cannot be added, the caller releases {@link SslHandler#engine()}.
     */
    public SslHandler newHandler(ByteBufAllocator allocator, LeafCertificate leaf) {
        keys.show(leaf);
        // The peer's host is the one attribute of an engine that both providers hand on to key managers.
        SslHandler handler = context.newHandler(allocator, leaf.alias(), -1);
        handler.handshakeFuture().addListener(new LeafRetention(leaf));
        return handler;
    }

    /** Gives the context up; connections in use keep what they need of it. */
    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }
}
