package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Listeners of all kinds in front of {@link FakeExchanges}, on loopback and free ports. */
final class Proxy implements AutoCloseable {

    static final Duration PATIENCE = Patience.usual();

    final FakeExchanges exchanges = new FakeExchanges();
    final CertificateAuthority authority = CertificateAuthority.generate("Test CA", Duration.ofDays(1));
    final Set<String> passed = ConcurrentHashMap.newKeySet();
    volatile ProxyUsers users = ProxyUsers.OFF;
    final EventLoops loops;
    final Listeners listeners;
    final Listener http;
    final Listener https;
    final Listener tunnel;
    private final ExecutorService minting = Executors.newSingleThreadExecutor();
    private final ServerTls tls = new ServerTls(TlsProvider.best(), List.of("h2", "http/1.1"));

    Proxy() throws IOException {
        this(Limits.DEFAULTS, EventLoops.create(2));
    }

    Proxy(ProxyLimits limits) throws IOException {
        this(limits, EventLoops.create(2));
    }

    Proxy(ProxyLimits limits, EventLoops loops) throws IOException {
        this.loops = loops;
        LeafCache leaves = new LeafCache(authority, new LeafCache.Settings(100, Duration.ofHours(1)), minting);
        listeners = new Listeners(
                loops,
                new ConnectionSettings(
                        exchanges,
                        new ClientTlsMode.Mitm(leaves, tls, null, passed::contains, 443),
                        limits,
                        HeadBudget.unlimited(),
                        peer -> user -> user == null ? Principal.anonymous() : Principal.of(user.name(), "proxy_auth"),
                        () -> users,
                        ProtocolSniffingHandler::new));
        http = bind(ListenerKind.HTTP);
        https = bind(ListenerKind.HTTPS);
        tunnel = bind(ListenerKind.TUNNEL);
        listeners.accept();
    }

    private Listener bind(ListenerKind kind) throws IOException {
        return listeners.bind(new ListenerSettings(kind, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }

    /** A client's TLS that trusts the authority. */
    SSLContext clientTls() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("ca", authority.certificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        listeners
                .shutdown(Duration.ZERO)
                .toCompletableFuture()
                .orTimeout(Patience.SECONDS, TimeUnit.SECONDS)
                .join();
        loops.close();
        minting.shutdown();
        tls.close();
    }
}
