package dev.sallyport.control.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.ProxyIdentity;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Admits connecting proxies at a bounded rate, before policies are read for them: after a restart all of them come at
 * once. Each proxy has a rate of its own, and so have the proxies of an organization, so that no tenant takes the places
 * of the others. Who is refused is told to come again. Thread-safe.
 */
@Singleton
final class Admission {

    private static final RateLimits.Rate PROXY = new RateLimits.Rate(5, 1);
    /** An organization has this part of all places. */
    private static final int PART = 4;

    private static final int KNOWN = 100_000;

    private final LongSupplier nanoTime;
    private final RateLimits.Rate organization;
    private final Cache<String, TokenBucket> buckets;
    private final TokenBucket places;

    @Inject
    Admission(RateLimits.Rates rates) {
        this(rates.feed(), System::nanoTime);
    }

    Admission(RateLimits.Rate all, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.organization = new RateLimits.Rate(Math.max(1, all.burst() / PART), all.perSecond() / PART);
        this.buckets = Caffeine.newBuilder()
                .maximumSize(KNOWN)
                // A bucket that is forgotten is full.
                .expireAfterAccess(Duration.ofSeconds(Math.max(60, (long) (all.burst() / all.perSecond()))))
                .build();
        this.places = new TokenBucket(all, nanoTime.getAsLong());
    }

    /** Lets one in, or refuses it with 503. */
    void enter(ProxyIdentity proxy) {
        long now = nanoTime.getAsLong();
        if (bucket("p" + proxy.id(), PROXY, now).take(now) < 0
                || bucket("o" + proxy.organizationId(), organization, now).take(now) < 0
                || places.take(now) < 0) {
            throw Refusal.overloaded();
        }
    }

    private TokenBucket bucket(String key, RateLimits.Rate rate, long now) {
        return buckets.get(key, any -> new TokenBucket(rate, now));
    }
}
