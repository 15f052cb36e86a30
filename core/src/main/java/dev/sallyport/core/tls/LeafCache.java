package dev.sallyport.core.tls;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sallyport.core.meter.OutcomeTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Mints leaf certificates and caches them by exact name. One instance for each authority. Thread-safe.
 *
 * <p>A leaf is evicted after three quarters of its lifetime, so that clients never see one that is about to expire.
 */
public final class LeafCache {

    private final Supplier<LeafFactory> maker;
    private @Nullable LeafFactory factory;
    private final Executor minting;
    private final OutcomeTimer mints;
    private final AsyncCache<String, LeafCertificate> cache;

    /**
     * The settings of leaves.
     *
     * @param cacheSize the number of cached leaves ({@code tls.cert_cache_size})
     * @param validity the lifetime of a leaf ({@code tls.leaf_cert_expiry_hours}), unless the authority expires sooner
     * @param backdate how long before it is made a leaf begins ({@code tls.leaf_backdate}), for clients whose clock is
     *     behind; but not before the authority does
     * @param crl whether leaves name the list of revoked ones ({@code tls.crl})
     */
    public record Settings(int cacheSize, Duration validity, Duration backdate, boolean crl) {

        /** The default of {@code tls.leaf_backdate}. */
        public static final Duration BACKDATE = Duration.ofMinutes(5);

        public Settings {
            if (cacheSize < 1) {
                throw new IllegalArgumentException("cacheSize: " + cacheSize + " (expected: at least 1)");
            }
            if (validity.isNegative() || validity.isZero()) {
                throw new IllegalArgumentException("validity: " + validity + " (expected: positive)");
            }
            if (backdate.isNegative()) {
                throw new IllegalArgumentException("backdate: " + backdate + " (expected: not negative)");
            }
        }

        /** As above, with a list. */
        public Settings(int cacheSize, Duration validity, Duration backdate) {
            this(cacheSize, validity, backdate, true);
        }

        /** As above, with the default {@link #BACKDATE}. */
        public Settings(int cacheSize, Duration validity) {
            this(cacheSize, validity, BACKDATE);
        }
    }

    /** Creates a cache that mints on {@code minting}, which the caller owns. */
    public LeafCache(CertificateAuthority authority, Settings settings, Executor minting) {
        this(authority, settings, minting, OutcomeTimer.NONE);
    }

    /** As {@link #LeafCache(CertificateAuthority, Settings, Executor)}; minting is timed. */
    public LeafCache(CertificateAuthority authority, Settings settings, Executor minting, OutcomeTimer mints) {
        this(authority, settings, minting, mints, Clock.systemUTC(), Ticker.systemTicker());
    }

    LeafCache(CertificateAuthority authority, Settings settings, Executor minting, Clock clock, Ticker ticker) {
        this(authority, settings, minting, OutcomeTimer.NONE, clock, ticker);
    }

    private LeafCache(
            CertificateAuthority authority,
            Settings settings,
            Executor minting,
            OutcomeTimer mints,
            Clock clock,
            Ticker ticker) {
        this.minting = minting;
        this.mints = mints;
        this.maker = () -> new LeafFactory(authority, settings, clock);
        this.cache = Caffeine.newBuilder()
                .maximumSize(settings.cacheSize())
                .expireAfter(Expiry.<String, LeafCertificate>creating((host, leaf) -> timeInCache(leaf, clock)))
                .ticker(ticker)
                .executor(Runnable::run)
                .buildAsync();
    }

    /** Generates the key pair of all leaves now, on the minting executor; otherwise the first leaf waits for it. */
    public void prepare() {
        minting.execute(this::factory);
    }

    private synchronized LeafFactory factory() {
        if (factory == null) {
            factory = maker.get();
        }
        return factory;
    }

    /** The cached leaf of a canonical name or address text, or null. Allocates nothing. */
    public @Nullable LeafCertificate cached(String host) {
        CompletableFuture<LeafCertificate> leaf = cache.getIfPresent(host);
        return leaf != null && leaf.isDone() && !leaf.isCompletedExceptionally() ? leaf.getNow(null) : null;
    }

    /**
     * The leaf of a canonical name or address text (IPv6 without brackets), minted if it is not cached. Concurrent
     * calls for one host share one minting. Completes on the minting executor; callers return to their own loop.
     * Failures are not cached.
     */
    public CompletionStage<LeafCertificate> leaf(String host) {
        if (host.isEmpty()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("host: empty (expected: a name)"));
        }
        try {
            return cache.get(host, (name, ignored) -> CompletableFuture.supplyAsync(() -> mint(name), minting));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private LeafCertificate mint(String host) {
        long start = System.nanoTime();
        boolean minted = false;
        try {
            LeafCertificate leaf = factory().mint(host);
            minted = true;
            return leaf;
        } finally {
            mints.since(start, minted);
        }
    }

    /** The number of leaves that are cached or being minted. */
    public int size() {
        return cache.asMap().size();
    }

    private static Duration timeInCache(LeafCertificate leaf, Clock clock) {
        Duration rest = Duration.between(clock.instant(), leaf.notAfter());
        return rest.isNegative() ? Duration.ZERO : rest.multipliedBy(3).dividedBy(4);
    }
}
