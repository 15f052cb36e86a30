package dev.sallyport.core.redact;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sallyport.spi.Credential;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Compiles sets of credentials on threads of its own, and caches those in use, as far as memory allows; none for longer
 * than its values are known.
 */
final class CredentialCompiler {

    /** How many bytes of values stay compiled; each takes about 130 bytes of memory. */
    private static final long KEPT_BYTES = 512 << 10;

    /** How long an unused set stays compiled. */
    private static final Duration UNUSED = Duration.ofMinutes(10);

    /** The weight of a set beyond its values. */
    private static final int SET_BYTES = 64;

    private final AsyncLoadingCache<CredentialSet, CompiledCredentials> kept = Caffeine.newBuilder()
            .maximumWeight(KEPT_BYTES)
            .expireAfterAccess(UNUSED)
            .weigher((CredentialSet set, CompiledCredentials compiled) -> set.bytes() + SET_BYTES)
            .executor(Runnable::run) // for its own upkeep, which is short
            .buildAsync((set, executor) -> once(set));

    /** Compiles a set that may be asked for again. */
    CompletableFuture<CompiledCredentials> lasting(CredentialSet set) {
        return kept.get(set);
    }

    /** Forgets sets with one of these values, and those that have not been used for long. */
    void forget(Set<Credential> gone) {
        if (!gone.isEmpty()) {
            kept.synchronous().asMap().keySet().removeIf(set -> gone.stream().anyMatch(set::contains));
        }
        kept.synchronous().cleanUp();
    }

    /** Compiles a set for one exchange. */
    static CompletableFuture<CompiledCredentials> once(CredentialSet set) {
        CompletableFuture<CompiledCredentials> result = new CompletableFuture<>();
        Thread.ofVirtual().name("sallyport-redact").start(() -> {
            try {
                result.complete(CompiledCredentials.of(set));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
