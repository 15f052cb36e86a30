package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.net.TlsMode;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of TLS, as configured.
 *
 * @param server null in mode {@code sni-only}, which shows clients nothing of its own
 */
record TlsMaterial(@Nullable Server server, ClientTls client) {

    private static final List<String> ALPN = List.of("http/1.1");
    private static final int MINTING_THREADS = 2;

    /** What TLS clients are shown. */
    record Server(Leaves leaves, ServerTls tls) {}

    /** Reads the files; what is made is closed by {@code closer}. */
    static TlsMaterial load(ProxyConfig config, Closer closer) throws StartException {
        TlsSection tls = config.tls();
        TlsProvider provider = TlsProvider.best();
        try {
            Server server = tls.mode() == TlsSection.Mode.MITM ? server(config, provider, closer) : null;
            TrustRoots roots = TrustRoots.system();
            if (tls.upstreamCa() != null) {
                roots = roots.plus(tls.upstreamCa());
            }
            return new TlsMaterial(server, closer.add(new ClientTls(provider, roots, ALPN)));
        } catch (TlsMaterialException e) {
            throw StartException.of(String.valueOf(e.getMessage()));
        }
    }

    private static Server server(ProxyConfig config, TlsProvider provider, Closer closer) throws TlsMaterialException {
        ExecutorService minting = Executors.newFixedThreadPool(
                MINTING_THREADS,
                Thread.ofPlatform().daemon().name("sallyport-mint-", 0).factory());
        closer.add(minting::shutdownNow);
        CertificateAuthority authority = CertificateAuthority.load(
                Objects.requireNonNull(config.tls().caCert(), "tls.ca_cert"),
                Objects.requireNonNull(config.tls().caKey(), "tls.ca_key"));
        return new Server(
                new Leaves(authority, Mapping.leaves(config), minting), closer.add(new ServerTls(provider, ALPN)));
    }

    /** What becomes of clients that speak TLS. */
    TlsMode mode(Predicate<String> passed, IntSupplier port) {
        return server == null
                ? new TlsMode.SniOnly(port)
                : new TlsMode.Mitm(server.leaves(), server.tls(), passed, port);
    }
}
