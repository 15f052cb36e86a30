package dev.sallyport.core.tls;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Mints leaves and caches them by exact name. One instance for each authority; thread-safe.
 *
 * <p>A leaf leaves the cache after three quarters of its life, so that a client never sees one that is about to expire.
 */
public final class LeafCache {

    private final Supplier<LeafFactory> maker;
    private @Nullable LeafFactory factory;
    private final Executor minting;
    private final AsyncCache<String, LeafCertificate> cache;

    /**
     * How leaves are made and kept.
     *
     * @param cacheSize how many are kept ({@code tls.cert_cache_size})
     * @param validity how long each is valid ({@code tls.leaf_cert_expiry_hours}), unless the authority ends sooner
     */
    public record Settings(int cacheSize, Duration validity) {
        public Settings {
            if (cacheSize < 1) {
                throw new IllegalArgumentException("cacheSize: " + cacheSize + " (expected: at least 1)");
            }
            if (validity.isNegative() || validity.isZero()) {
                throw new IllegalArgumentException("validity: " + validity + " (expected: positive)");
            }
        }
    }

    /** Mints on {@code minting}, which stays the caller's. */
    public LeafCache(CertificateAuthority authority, Settings settings, Executor minting) {
        this(authority, settings, minting, Clock.systemUTC(), Ticker.systemTicker());
    }

    LeafCache(CertificateAuthority authority, Settings settings, Executor minting, Clock clock, Ticker ticker) {
        this.minting = minting;
        this.maker = () -> new LeafFactory(authority, settings.validity(), clock);
        this.cache = Caffeine.newBuilder()
                .maximumSize(settings.cacheSize())
                .expireAfter(Expiry.<String, LeafCertificate>creating((host, leaf) -> timeInCache(leaf, clock)))
                .ticker(ticker)
                .executor(Runnable::run)
                .buildAsync();
    }

    /** Has the key pair of all leaves made now, on the minting executor; else the first leaf waits for it. */
    public void prepare() {
        minting.execute(this::factory);
    }

    private synchronized LeafFactory factory() {
        if (factory == null) {
            factory = maker.get();
        }
        return factory;
    }

    /** The leaf of a canonical name or address text when it is there already, else null. Allocates nothing. */
    public @Nullable LeafCertificate cached(String host) {
        CompletableFuture<LeafCertificate> leaf = cache.getIfPresent(host);
        return leaf != null && leaf.isDone() && !leaf.isCompletedExceptionally() ? leaf.getNow(null) : null;
    }

    /**
     * The leaf of a canonical name or address text (IPv6 without brackets), minted when it is not there. Concurrent calls
     * for one host share one minting. Completes on the minting executor: callers return to their own loop. Failures are
     * not kept.
     */
    public CompletionStage<LeafCertificate> leaf(String host) {
        if (host.isEmpty()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("host: empty (expected: a name)"));
        }
        try {
            return cache.get(
                    host,
                    (name, ignored) ->
                            CompletableFuture.supplyAsync(() -> factory().mint(name), minting));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Duration timeInCache(LeafCertificate leaf, Clock clock) {
        Duration rest = Duration.between(clock.instant(), leaf.notAfter());
        return rest.isNegative() ? Duration.ZERO : rest.multipliedBy(3).dividedBy(4);
    }
}
