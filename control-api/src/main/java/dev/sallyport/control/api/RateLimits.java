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
    private static final String SIGN_UP = "sallyport.sign-up";
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
        take(request, "k" + id, rates.key(), "requests with this key or token");
    }

    void address(HttpRequest<?> request, String address) {
        take(request, "a" + Networks.of(address), rates.address(), "requests without a valid key from this address");
    }

    void poll(HttpRequest<?> request, String address) {
        take(request, "p" + Networks.of(address), rates.poll(), "polls from this address");
    }

    /** Takes the place of an account before it is made, so that no more are made at once. */
    void signUp(HttpRequest<?> request, String address) {
        String key = "s" + Networks.of(address);
        take(request, key, rates.signUp(), "sign-ups from this address");
        request.setAttribute(SIGN_UP, key);
    }

    /** The sign-up of this request, if it was one, has made nothing and told nothing. */
    void giveBackSignUp(HttpRequest<?> request) {
        request.removeAttribute(SIGN_UP, String.class).ifPresent(key -> {
            long now = nanoTime.getAsLong();
            TokenBucket bucket = bucket(key, rates.signUp(), now);
            bucket.charge(-1, now);
            request.setAttribute(ATTRIBUTE, state(rates.signUp(), bucket.level(now)));
        });
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
            throw Refusal.rateLimited("events of this account", Duration.ofSeconds((long)
                    Math.ceil(missing / rates.events().perSecond())));
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

    private static State state(Rate rate, double left) {
        double full = (rate.burst() - Math.max(left, 0)) / rate.perSecond();
        return new State(rate.burst(), (int) Math.max(left, 0), (long) Math.ceil(full));
    }

    /** @param what is counted, in words */
    private void take(HttpRequest<?> request, String key, Rate rate, String what) {
        long now = nanoTime.getAsLong();
        double left = bucket(key, rate, now).take(now);
        request.setAttribute(ATTRIBUTE, state(rate, left));
        if (left < 0) {
            throw Refusal.rateLimited(what, Duration.ofSeconds((long) Math.ceil(-left / rate.perSecond())));
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
