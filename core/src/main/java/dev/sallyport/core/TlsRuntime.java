package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.meter.OutcomeTimer;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.ClientIdentities;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of TLS, as configured.
 *
 * @param files the files that it was made from
 * @param minting signs leaf certificates
 * @param mints times that
 * @param proxy terminates TLS that clients speak with the proxy itself
 * @param identities the certificates that origins are shown
 * @param leaves null in mode {@code sni-only}, which shows clients no certificate of its own
 */
record TlsRuntime(
        TlsFiles files,
        LeafCache.Settings settings,
        Executor minting,
        OutcomeTimer mints,
        @Nullable LeafCache leaves,
        ServerTls server,
        ServerTls proxy,
        TlsProvider provider,
        ClientIdentities identities,
        ClientTls client) {

    private static final List<String> ALPN = List.of("h2", "http/1.1");

    /** CONNECT is taken over HTTP/1.1. */
    private static final List<String> PROXY_ALPN = List.of("http/1.1");

    private static final String UPSTREAM_CA = "tls.upstream_ca";
    private static final int MINTING_THREADS = 2;
    private static final int TRUST_STORES_AFTER_SECONDS = 2;

    /** Makes both sides; {@code closer} closes them, except for the client's side, which a reload may replace. */
    static TlsRuntime make(ProxyConfig config, TlsFiles files, MeterRegistry meters, CloseStack closer) {
        TlsProvider provider = TlsProvider.best();
        ExecutorService minting = Executors.newFixedThreadPool(
                MINTING_THREADS,
                Thread.ofPlatform().daemon().name("sallyport-mint-", 0).factory());
        closer.add(minting::shutdownNow);
        LeafCache.Settings settings = ConfigMapper.leaves(config);
        OutcomeTimer mints =
                OutcomeTimer.of(meters, "leaf.mint.duration", "How long it took to make a certificate for a client.");
        OutcomeTimer handshakes = OutcomeTimer.of(
                meters,
                "client.handshake.duration",
                "How long TLS handshakes of clients took, from the certificate on.");
        return new TlsRuntime(
                files,
                settings,
                minting,
                mints,
                leaves(files, settings, minting, mints),
                closer.add(new ServerTls(provider, ALPN, handshakes)),
                closer.add(new ServerTls(provider, PROXY_ALPN, handshakes)),
                provider,
                ClientIdentities.NONE,
                client(provider, files, ClientIdentities.NONE, false));
    }

    /** The runtime for new files; what they do not change stays the same, with all that it has cached. */
    TlsRuntime with(ProxyConfig config, TlsFiles next) {
        LeafCache.Settings nextSettings = ConfigMapper.leaves(config);
        // A change of the mode takes effect with a restart only.
        boolean otherMode = (leaves == null) != (next.authority() == null);
        boolean sameLeaves =
                otherMode || (nextSettings.equals(settings) && Objects.equals(next.authority(), files.authority()));
        boolean sameRoots = Objects.equals(next.roots(), files.roots());
        return new TlsRuntime(
                next,
                nextSettings,
                minting,
                mints,
                sameLeaves ? leaves : leaves(next, nextSettings, minting, mints),
                server,
                proxy,
                provider,
                identities,
                sameRoots ? client : client(provider, next, identities, client.hasHalves()));
    }

    /** The runtime that shows origins these certificates. */
    TlsRuntime showing(ClientIdentities next) {
        return next.equals(identities)
                ? this
                : new TlsRuntime(
                        files,
                        settings,
                        minting,
                        mints,
                        leaves,
                        server,
                        proxy,
                        provider,
                        next,
                        client(provider, files, next, client.hasHalves()));
    }

    private static @Nullable LeafCache leaves(
            TlsFiles files, LeafCache.Settings settings, Executor minting, OutcomeTimer mints) {
        CertificateAuthority authority = files.authority();
        if (authority == null) {
            return null;
        }
        LeafCache made = new LeafCache(authority, settings, minting, mints);
        made.prepare();
        return made;
    }

    private static ClientTls client(TlsProvider provider, TlsFiles files, ClientIdentities identities, boolean halves) {
        ClientTls made = new ClientTls(provider, Objects.requireNonNull(files.roots(), "roots"), ALPN, identities);
        if (halves) {
            made.prepareHalves();
        }
        return made;
    }

    /**
     * Makes what connections need whose halves end by themselves, on both sides, before a loop would have to. A runtime
     * that follows this one has it from the beginning. Blocks.
     */
    void prepareHalves() {
        server.prepareHalves();
        client.prepareHalves();
    }

    /** Whether clients are to trust the same authority. */
    boolean sharesAuthority(TlsRuntime other) {
        return Objects.equals(files.authority(), other.files.authority());
    }

    /**
     * The site on which clients find the authority to trust; its trust stores, which take a while, are made after the
     * start.
     */
    LocalSite site() {
        Executor afterTheStart =
                CompletableFuture.delayedExecutor(TRUST_STORES_AFTER_SECONDS, TimeUnit.SECONDS, minting);
        return new LocalSite(files.authority(), afterTheStart);
    }

    /** The end of the authority that clients trust, in seconds since 1970; 0 where there is none. */
    long authorityEnds() {
        CertificateAuthority authority = files.authority();
        return authority == null
                ? 0
                : authority.certificate().getNotAfter().toInstant().getEpochSecond();
    }

    /** How many leaves are kept. */
    int leavesKept() {
        return leaves == null ? 0 : leaves.size();
    }

    /** The certificates that the configuration names. */
    List<CertificateStatus> certificates() {
        List<CertificateStatus> found = new ArrayList<>();
        CertificateAuthority authority = files.authority();
        if (authority != null) {
            found.add(status("tls.ca_cert", authority.certificate()));
        }
        TrustRoots own = files.own();
        List<X509Certificate> roots = own == null ? List.of() : own.certificates();
        for (int i = 0; i < roots.size(); i++) {
            found.add(status(roots.size() == 1 ? UPSTREAM_CA : UPSTREAM_CA + "." + (i + 1), roots.get(i)));
        }
        return found;
    }

    private static CertificateStatus status(String name, X509Certificate certificate) {
        return new CertificateStatus(name, certificate.getNotAfter().toInstant());
    }

    /** How clients that speak TLS are treated. */
    ClientTlsMode mode(ProxyConfig config) {
        int port = config.proxy().sniUpstreamPort();
        LeafCache minted = leaves;
        return minted == null
                ? new ClientTlsMode.SniOnly(port)
                : new ClientTlsMode.Mitm(
                        minted,
                        server,
                        config.proxy().tunnelTls() == ProxySection.TunnelTls.AUTO ? proxy : null,
                        ConfigMapper.passed(config.tls())::matches,
                        port);
    }
}
