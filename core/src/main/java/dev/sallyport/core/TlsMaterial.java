package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
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

/** Both sides of TLS, as configured. */
record TlsMaterial(CertificateAuthority authority, Leaves leaves, ServerTls server, ClientTls client) {

    private static final List<String> ALPN = List.of("http/1.1");
    private static final int MINTING_THREADS = 2;

    /** Reads the files; what is made is closed by {@code closer}. */
    static TlsMaterial load(ProxyConfig config, Closer closer) throws StartException {
        TlsSection tls = config.tls();
        TlsProvider provider = TlsProvider.best();
        ExecutorService minting = Executors.newFixedThreadPool(
                MINTING_THREADS,
                Thread.ofPlatform().daemon().name("sallyport-mint-", 0).factory());
        closer.add(minting::shutdownNow);
        try {
            CertificateAuthority authority = CertificateAuthority.load(
                    Objects.requireNonNull(tls.caCert(), "tls.ca_cert"),
                    Objects.requireNonNull(tls.caKey(), "tls.ca_key"));
            TrustRoots roots = TrustRoots.system();
            if (tls.upstreamCa() != null) {
                roots = roots.plus(tls.upstreamCa());
            }
            return new TlsMaterial(
                    authority,
                    new Leaves(authority, Mapping.leaves(config), minting),
                    closer.add(new ServerTls(provider, ALPN)),
                    closer.add(new ClientTls(provider, roots, ALPN)));
        } catch (TlsMaterialException e) {
            throw StartException.of(String.valueOf(e.getMessage()));
        }
    }
}
