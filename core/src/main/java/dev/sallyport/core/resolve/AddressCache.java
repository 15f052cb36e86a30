package dev.sallyport.core.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import org.jspecify.annotations.Nullable;

/** Caches resolutions within the bounds of the settings. Shared by all loops. */
final class AddressCache {

    private final ResolverSettings.Cache bounds;
    private final Cache<String, LookupResult> answers;

    AddressCache(ResolverSettings.Cache bounds, Ticker ticker) {
        this.bounds = bounds;
        this.answers = Caffeine.newBuilder()
                .maximumSize(bounds.entries())
                .expireAfter(Expiry.<String, LookupResult>writing((name, answer) -> answer.lifetime(bounds)))
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    @Nullable LookupResult get(String name) {
        return answers.getIfPresent(name);
    }

    void put(String name, LookupResult answer) {
        if (!answer.lifetime(bounds).isZero()) {
            answers.put(name, answer);
        }
    }
}
