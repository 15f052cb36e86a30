package dev.sallyport.core.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Remembers answers within the bounds of the settings. Shared by all loops. */
final class AddressCache {

    private final ResolverSettings settings;
    private final Cache<String, Answer> answers;

    AddressCache(ResolverSettings settings, Ticker ticker) {
        this.settings = settings;
        this.answers = Caffeine.newBuilder()
                .maximumSize(settings.cacheEntries())
                .expireAfter(Expiry.<String, Answer>writing((name, answer) -> lifetime(answer)))
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    @Nullable Answer get(String name) {
        return answers.getIfPresent(name);
    }

    /** Failures that say nothing about the name are not kept. */
    void put(String name, Answer answer) {
        if (!lifetime(answer).isZero()) {
            answers.put(name, answer);
        }
    }

    private Duration lifetime(Answer answer) {
        return switch (answer) {
            case Answer.Found found -> {
                Duration ttl = Duration.ofSeconds(found.ttlSeconds());
                Duration atLeast = ttl.compareTo(settings.minTtl()) < 0 ? settings.minTtl() : ttl;
                yield atLeast.compareTo(settings.maxTtl()) > 0 ? settings.maxTtl() : atLeast;
            }
            case Answer.Failed failed ->
                switch (failed.failure().kind()) {
                    case NOT_FOUND, NO_ADDRESS -> settings.negativeTtl();
                    case FAILED, TIMEOUT -> Duration.ZERO;
                };
        };
    }
}
