package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.net.TlsMode;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.Leaves;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
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
 * @param files what it was made from
 * @param minting signs leaves
 * @param leaves null in mode {@code sni-only}, which shows clients nothing of its own
 */
record TlsMaterial(
        TlsFiles files,
        Leaves.Settings settings,
        Executor minting,
        @Nullable Leaves leaves,
        ServerTls server,
        TlsProvider provider,
        ClientTls client) {

    private static final List<String> ALPN = List.of("h2", "http/1.1");
    private static final int MINTING_THREADS = 2;
    private static final int TRUST_STORES_AFTER_SECONDS = 2;

    /** What is made is closed by {@code closer}, but for the client's side, which a reload may replace. */
    static TlsMaterial make(ProxyConfig config, TlsFiles files, Closer closer) {
        TlsProvider provider = TlsProvider.best();
        ExecutorService minting = Executors.newFixedThreadPool(
                MINTING_THREADS,
                Thread.ofPlatform().daemon().name("sallyport-mint-", 0).factory());
        closer.add(minting::shutdownNow);
        Leaves.Settings settings = Mapping.leaves(config);
        return new TlsMaterial(
                files,
                settings,
                minting,
                leaves(files, settings, minting),
                closer.add(new ServerTls(provider, ALPN)),
                provider,
                client(provider, files));
    }

    /** What these files ask for; what they leave as it is stays the same, with all that it has cached. */
    TlsMaterial with(ProxyConfig config, TlsFiles next) {
        Leaves.Settings nextSettings = Mapping.leaves(config);
        // A change of the mode takes effect with a restart only.
        boolean otherMode = (leaves == null) != (next.authority() == null);
        boolean sameLeaves =
                otherMode || (nextSettings.equals(settings) && Objects.equals(next.authority(), files.authority()));
        boolean sameRoots = Objects.equals(next.roots(), files.roots());
        return new TlsMaterial(
                next,
                nextSettings,
                minting,
                sameLeaves ? leaves : leaves(next, nextSettings, minting),
                server,
                provider,
                sameRoots ? client : client(provider, next));
    }

    private static @Nullable Leaves leaves(TlsFiles files, Leaves.Settings settings, Executor minting) {
        CertificateAuthority authority = files.authority();
        if (authority == null) {
            return null;
        }
        Leaves made = new Leaves(authority, settings, minting);
        made.prepare();
        return made;
    }

    private static ClientTls client(TlsProvider provider, TlsFiles files) {
        return new ClientTls(provider, Objects.requireNonNull(files.roots(), "roots"), ALPN);
    }

    /** Where clients find the authority to trust; its trust stores, which take a while, wait for the start to be over. */
    LocalSite site() {
        Executor afterTheStart =
                CompletableFuture.delayedExecutor(TRUST_STORES_AFTER_SECONDS, TimeUnit.SECONDS, minting);
        return new LocalSite(files.authority(), afterTheStart);
    }

    /** When the authority that clients trust ends, in seconds since 1970; 0 where there is none. */
    long authorityEnds() {
        CertificateAuthority authority = files.authority();
        return authority == null
                ? 0
                : authority.certificate().getNotAfter().toInstant().getEpochSecond();
    }

    /** What becomes of clients that speak TLS. */
    TlsMode mode(ProxyConfig config) {
        int port = config.proxy().sniUpstreamPort();
        Leaves minted = leaves;
        return minted == null
                ? new TlsMode.SniOnly(port)
                : new TlsMode.Mitm(minted, server, Mapping.passed(config.tls())::matches, port);
    }
}
