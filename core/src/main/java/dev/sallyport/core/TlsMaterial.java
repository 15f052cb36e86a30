package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Both sides of TLS, as configured. */
record TlsMaterial(CertificateAuthority authority, Leaves leaves, ServerTls server, ClientTls client) {

    private static final List<String> ALPN = List.of("h2", "http/1.1");
    private static final int MINTING_THREADS = 2;

    /** What is made is closed by {@code closer}. */
    static TlsMaterial make(ProxyConfig config, TlsFiles files, Closer closer) {
        TlsProvider provider = TlsProvider.best();
        ExecutorService minting = Executors.newFixedThreadPool(
                MINTING_THREADS,
                Thread.ofPlatform().daemon().name("sallyport-mint-", 0).factory());
        closer.add(minting::shutdownNow);
        CertificateAuthority authority = Objects.requireNonNull(files.authority(), "authority");
        TrustRoots roots = Objects.requireNonNull(files.roots(), "roots");
        return new TlsMaterial(
                authority,
                new Leaves(authority, Mapping.leaves(config), minting),
                closer.add(new ServerTls(provider, ALPN)),
                closer.add(new ClientTls(provider, roots, ALPN)));
    }
}
