package dev.sallyport.core.resolve;

import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** The result of a look-up. */
sealed interface LookupResult {

    /** Completes the promise of one who waits for it. */
    void tell(Promise<List<InetAddress>> waiting);

    /** How long it may be cached; zero to not cache it. */
    Duration lifetime(ResolverSettings.Cache cache);

    /** At least one address, in the order in which to try them. */
    record Found(List<InetAddress> addresses, long ttlSeconds) implements LookupResult {

        @Override
        public void tell(Promise<List<InetAddress>> waiting) {
            waiting.trySuccess(addresses);
        }

        @Override
        public Duration lifetime(ResolverSettings.Cache cache) {
            Duration ttl = Duration.ofSeconds(ttlSeconds);
            Duration atLeast = ttl.compareTo(cache.minTtl()) < 0 ? cache.minTtl() : ttl;
            return atLeast.compareTo(cache.maxTtl()) > 0 ? cache.maxTtl() : atLeast;
        }
    }

    /** No address. Failures that say nothing about the name are not cached. */
    record Failed(ResolveException failure) implements LookupResult {

        @Override
        public void tell(Promise<List<InetAddress>> waiting) {
            waiting.tryFailure(failure);
        }

        @Override
        public Duration lifetime(ResolverSettings.Cache cache) {
            return switch (failure.kind()) {
                case NOT_FOUND, NO_ADDRESS -> cache.negativeTtl();
                case FAILED, TIMEOUT -> Duration.ZERO;
            };
        }
    }
}
