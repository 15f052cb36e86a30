package dev.sallyport.control.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sallyport.control.model.Networks;
import dev.sallyport.control.model.Refusal;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Token buckets for keys, for addresses without a key, for polls, sign-ups and events of egress. Thread-safe; the state is of this process. */
@Singleton
public final class RateLimits {

    private static final String ATTRIBUTE = "sallyport.rate";
    private static final int KNOWN = 100_000;

    /** What counts as one event: a usual one has half of it. */
    private static final int EVENT_BYTES = 512;

    private final Rates rates;
    private final LongSupplier nanoTime;
    private final Cache<String, TokenBucket> buckets;

    public RateLimits(Rates rates) {
        this.rates = rates;
        this.nanoTime = System::nanoTime;
        // A bucket that is forgotten is full.
        buckets = Caffeine.newBuilder()
                .maximumSize(KNOWN)
                .expireAfterAccess(rates.slowest())
                .build();
    }

    /**
     * Limits of the configuration.
     *
     * @param feed of proxies that connect, all together
     * @param events of egress, of the proxies of an organization
     */
    public record Rates(Rate key, Rate address, Rate poll, Rate signUp, Rate feed, Rate events) {

        /** How long the slowest bucket takes until it is full. */
        Duration slowest() {
            double seconds = Stream.of(key, address, poll, signUp, events)
                    .mapToDouble(rate -> rate.burst() / rate.perSecond())
                    .max()
                    .orElse(0);
            return Duration.ofSeconds((long) Math.ceil(seconds));
        }
    }

    /**
     * A limit.
     *
     * @param burst how many at once
     * @param perSecond how many in the long run
     */
    public record Rate(int burst, double perSecond) {}

    /** What is left of a bucket, for the header fields. */
    private record State(int limit, int remaining, long resetSeconds) {}

    void key(HttpRequest<?> request, String id) {
        take(request, "k" + id, rates.key());
    }

    void address(HttpRequest<?> request, String address) {
        take(request, "a" + Networks.of(address), rates.address());
    }

    void poll(HttpRequest<?> request, String address) {
        take(request, "p" + Networks.of(address), rates.poll());
    }

    void signUp(HttpRequest<?> request, String address) {
        take(request, "s" + Networks.of(address), rates.signUp());
    }

    /**
     * Refuses events of an organization whose proxies have delivered too many: all tenants share a database. Counts the
     * bytes before they are read, those of {@link #EVENT_BYTES} as one event; of events that are smaller {@link #delivered}
     * counts the others, because nobody knows before how many there are.
     *
     * @param bytes of the body, not compressed
     */
    void events(String organization, int bytes) {
        long now = nanoTime.getAsLong();
        TokenBucket bucket = bucket("e" + organization, rates.events(), now);
        double missing = 1 - bucket.level(now);
        if (missing > 0) {
            throw Refusal.rateLimited(
                    Duration.ofSeconds((long) Math.ceil(missing / rates.events().perSecond())));
        }
        bucket.charge(bytes / EVENT_BYTES, now);
    }

    /** Events of an organization have come, in a body of so many bytes that have been counted. */
    void delivered(String organization, int events, int bytes) {
        long now = nanoTime.getAsLong();
        bucket("e" + organization, rates.events(), now).charge(Math.max(0, events - bytes / EVENT_BYTES), now);
    }

    private TokenBucket bucket(String key, Rate rate, long now) {
        return buckets.get(key, any -> new TokenBucket(rate, now));
    }

    private void take(HttpRequest<?> request, String key, Rate rate) {
        long now = nanoTime.getAsLong();
        double left = bucket(key, rate, now).take(now);
        double full = (rate.burst() - Math.max(left, 0)) / rate.perSecond();
        request.setAttribute(ATTRIBUTE, new State(rate.burst(), (int) Math.max(left, 0), (long) Math.ceil(full)));
        if (left < 0) {
            throw Refusal.rateLimited(Duration.ofSeconds((long) Math.ceil(-left / rate.perSecond())));
        }
    }

    /** Adds the header fields. */
    void describe(HttpRequest<?> request, MutableHttpResponse<?> response) {
        Optional<State> found = request.getAttribute(ATTRIBUTE, State.class);
        found.ifPresent(state -> response.header(Headers.RATE_LIMIT, String.valueOf(state.limit()))
                .header(Headers.RATE_REMAINING, String.valueOf(state.remaining()))
                .header(Headers.RATE_RESET, String.valueOf(state.resetSeconds())));
    }
}
