package dev.sallyport.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManager;

/**
 * TLS towards origins. Chain and host name are always verified. Sessions are resumed for the same host and port only.
 * Thread-safe.
 */
public final class ClientTls implements AutoCloseable {

    private static final int SESSION_CACHE_SIZE = 4096;

    private static final List<String> HTTP1 = List.of("http/1.1");

    private static final int STAND_IN_BYTES = 20;

    private final ClientKeyManager keys;
    private final SslContext context;
    private final SslContext http1Context;
    private final LazyContext halvesContext;
    private final SSLSocketFactory sockets;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Random, and shown to nobody. */
    private final byte[] unknown = new byte[STAND_IN_BYTES];

    /**
     * Creates the context.
     *
     * @param alpn protocols in order of preference; none: no ALPN
     * @param identities what origins are shown that ask for a certificate
     * @throws IllegalStateException when the provider cannot do it
     */
    public ClientTls(TlsProvider provider, TrustRoots roots, List<String> alpn, ClientIdentities identities) {
        keys = new ClientKeyManager(identities);
        new SecureRandom().nextBytes(unknown);
        TrustManager trust = roots.trustManager();
        sockets = sockets(trust);
        halvesContext = new LazyContext(() -> context(TlsProvider.JDK, trust, keys, alpn.isEmpty() ? alpn : HTTP1));
        context = context(provider, trust, keys, alpn);
        try {
            http1Context = alpn.isEmpty() || alpn.equals(HTTP1)
                    ? ReferenceCountUtil.retain(context)
                    : context(provider, trust, keys, HTTP1);
        } catch (RuntimeException e) {
            ReferenceCountUtil.release(context);
            throw e;
        }
    }

    /** As above, without a certificate for any origin. */
    public ClientTls(TlsProvider provider, TrustRoots roots, List<String> alpn) {
        this(provider, roots, alpn, ClientIdentities.NONE);
    }

    private static SSLSocketFactory sockets(TrustManager trust) {
        try {
            SSLContext jdk = SSLContext.getInstance("TLS");
            jdk.init(null, new TrustManager[] {trust}, null);
            return jdk.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS of the JDK cannot be set up", e);
        }
    }

    private static SslContext context(TlsProvider provider, TrustManager trust, KeyManager keys, List<String> alpn) {
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(provider.netty())
                    .protocols(Alpn.TLS_VERSIONS)
                    .trustManager(trust)
                    .keyManager(keys)
                    .endpointIdentificationAlgorithm("HTTPS")
                    .applicationProtocolConfig(Alpn.config(alpn))
                    .sessionCacheSize(SESSION_CACHE_SIZE)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up with the provider " + provider, e);
        }
    }

    /**
     * Creates the handler for one connection. The certificate must be valid for {@code host}, a canonical name or
     * address text, whatever address was dialled; a name is sent as SNI, an address is not (RFC 6066, 3).
     *
     * <p>The pipeline owns the handler. Where it cannot be added, the caller releases {@link SslHandler#engine()}.
     */
    public SslHandler newHandler(ByteBufAllocator allocator, String host, int port) {
        return newHandler(context, allocator, host, port);
    }

    /** As {@link #newHandler}, but the handshake offers only HTTP/1.1. */
    public SslHandler newHttp1Handler(ByteBufAllocator allocator, String host, int port) {
        return newHandler(http1Context, allocator, host, port);
    }

    /** As {@link #newHttp1Handler}; each half of the connection ends by itself. */
    public SslHandler newHandlerOfHalves(ByteBufAllocator allocator, String host, int port) {
        return newHandler(halvesContext.get(), allocator, host, port);
    }

    /** Makes what {@link #newHandlerOfHalves} needs, which takes a while: not on an event loop. */
    public void prepareHalves() {
        halvesContext.get();
    }

    /** Whether {@link #newHandlerOfHalves} has all that it needs. */
    public boolean hasHalves() {
        return halvesContext.isMade();
    }

    /** Whether the origin asked for a certificate in the handshake of one of these handlers, and got none. */
    public boolean askedInVain(SslHandler handler) {
        return keys.isUnanswered(handler.engine());
    }

    /** Performs a blocking handshake on a connected socket, with the same trust. The result owns the socket. */
    public Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) sockets.createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(Alpn.TLS_VERSIONS.toArray(String[]::new));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private SslHandler newHandler(SslContext from, ByteBufAllocator allocator, String host, int port) {
        if (HostLabels.isBrowserOnly(host)) {
            return newWildcardHandler(from, allocator, host, port);
        }
        SslHandler handler = from.newHandler(allocator, host, port);
        if (host.indexOf('.') < 0 && isHostName(host)) {
            // The engines send names without a dot only when told to.
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }

    /**
     * Java accepts no certificate for such a name. What covers it covers every name below its parent, so the certificate
     * is compared with one that nobody can have another certificate for, because nobody can know it. The server is told
     * the real name.
     */
    private SslHandler newWildcardHandler(SslContext from, ByteBufAllocator allocator, String host, int port) {
        SslHandler handler = from.newHandler(allocator, HostLabels.withLabel(standIn(host), host), port);
        announce(handler.engine(), host);
        return handler;
    }

    /** Sets a name for SNI that {@link SNIHostName} does not take. */
    private static void announce(SSLEngine engine, String host) {
        if (engine instanceof ReferenceCountedOpenSslEngine openSsl) {
            SSL.setTlsExtHostName(openSsl.sslPointer(), host);
            return;
        }
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setServerNames(List.of(new BrowserOnlyName(host)));
        engine.setSSLParameters(parameters);
    }

    private static final class BrowserOnlyName extends SNIServerName {

        BrowserOnlyName(String host) {
            super(StandardConstants.SNI_HOST_NAME, host.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** One for each name, so that none resumes another's session. */
    private String standIn(String host) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(unknown);
            byte[] hash = digest.digest(host.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash, 0, STAND_IN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Java accepts only letters, digits and hyphens: for other names it sends no SNI and accepts no certificate. */
    private static boolean isHostName(String host) {
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')) {
                return false;
            }
        }
        return !host.startsWith("-") && !host.endsWith("-");
    }

    /** Releases the context; open connections keep what they need. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            ReferenceCountUtil.release(context);
            ReferenceCountUtil.release(http1Context);
        }
    }
}
