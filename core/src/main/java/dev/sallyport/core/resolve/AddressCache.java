package dev.sallyport.core.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import org.jspecify.annotations.Nullable;

/** Caches resolutions within the bounds of the settings. Shared by all loops. */
final class AddressCache {

    private final ResolverSettings settings;
    private final Cache<String, LookupResult> answers;

    AddressCache(ResolverSettings settings, Ticker ticker) {
        this.settings = settings;
        this.answers = Caffeine.newBuilder()
                .maximumSize(settings.cacheEntries())
                .expireAfter(Expiry.<String, LookupResult>writing((name, answer) -> answer.lifetime(settings)))
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    @Nullable LookupResult get(String name) {
        return answers.getIfPresent(name);
    }

    void put(String name, LookupResult answer) {
        if (!answer.lifetime(settings).isZero()) {
            answers.put(name, answer);
        }
    }
}
