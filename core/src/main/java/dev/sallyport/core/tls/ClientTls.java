package dev.sallyport.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * TLS towards upstreams. Chain and host name are always verified: there is no switch to turn that off. Sessions resume,
 * for the same host and port only. Thread-safe.
 */
public final class ClientTls implements AutoCloseable {

    private static final int SESSION_CACHE_SIZE = 4096;

    private static final List<String> HTTP1 = List.of("http/1.1");

    private final SslContext context;
    private final SslContext http1Context;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Makes the context.
     *
     * @param alpn protocols in order of preference; none: no ALPN
     * @throws IllegalStateException when the provider cannot do it
     */
    public ClientTls(TlsProvider provider, TrustRoots roots, List<String> alpn) {
        TrustManager trust = roots.trustManager();
        context = context(provider, trust, alpn);
        try {
            http1Context = alpn.isEmpty() || alpn.equals(HTTP1)
                    ? ReferenceCountUtil.retain(context)
                    : context(provider, trust, HTTP1);
        } catch (RuntimeException e) {
            ReferenceCountUtil.release(context);
            throw e;
        }
    }

    private static SslContext context(TlsProvider provider, TrustManager trust, List<String> alpn) {
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(provider.netty())
                    .protocols(Alpn.TLS_VERSIONS)
                    .trustManager(trust)
                    .endpointIdentificationAlgorithm("HTTPS")
                    .applicationProtocolConfig(Alpn.config(alpn))
                    .sessionCacheSize(SESSION_CACHE_SIZE)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up with the provider " + provider, e);
        }
    }

    /**
     * A handler for one connection. {@code host} is the canonical name or address text that the certificate must be for,
     * whatever address was dialled; a name is sent as SNI, an address is not (RFC 6066, 3).
     *
     * <p>The pipeline owns the handler. Where it cannot be added, the caller releases {@link SslHandler#engine()}.
     */
    public SslHandler newHandler(ByteBufAllocator allocator, String host, int port) {
        return newHandler(context, allocator, host, port);
    }

    /** The same, but whatever this was made with, the handshake offers no other protocol than HTTP/1.1. */
    public SslHandler newHttp1Handler(ByteBufAllocator allocator, String host, int port) {
        return newHandler(http1Context, allocator, host, port);
    }

    private static SslHandler newHandler(SslContext from, ByteBufAllocator allocator, String host, int port) {
        SslHandler handler = from.newHandler(allocator, host, port);
        if (host.indexOf('.') < 0 && isHostName(host)) {
            // The engines send names without a dot only when told to.
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }

    /** Java takes letters, digits and hyphens. With other names it sends no SNI, and accepts no certificate for them. */
    private static boolean isHostName(String host) {
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')) {
                return false;
            }
        }
        return !host.startsWith("-") && !host.endsWith("-");
    }

    /** Gives the context up; connections in use keep what they need of it. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            ReferenceCountUtil.release(context);
            ReferenceCountUtil.release(http1Context);
        }
    }
}
