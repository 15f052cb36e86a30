package dev.sallyport.control.account;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sallyport.control.model.Networks;
import dev.sallyport.control.model.Refusal;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;

/**
 * Slows the guessing of passwords, without letting a stranger keep the owner out. Failures are counted
 *
 * <ul>
 *   <li>for an account from one network: {@value #NETWORK};
 *   <li>for a network, whatever the account: {@value #ADDRESS};
 *   <li>for an account from all networks together: {@value #STRANGERS}.
 * </ul>
 *
 * <p>With so many of the first two, sign-in is refused until a quarter of an hour has passed without another attempt that
 * was let through. With so many of the last, it is slowed: one attempt a minute is let through from each site (/24, /48).
 * So strangers keep nobody out, from wherever they guess, and each site that they have guesses next to nothing.
 *
 * <p>A browser in which the account has signed in before ({@link KnownBrowsers}) is counted by itself alone, up to
 * {@value #NETWORK}: what strangers do, from its own network too, neither stops nor slows it.
 *
 * <p>An attempt counts from its beginning, so that many at once are no more guesses than one after the other.
 * Thread-safe.
 */
@Singleton
public final class SignInGuard {

    private static final int NETWORK = 10;
    private static final int STRANGERS = 30;
    private static final int ADDRESS = 50;
    private static final int KNOWN = 100_000;
    private static final String TRIES = "attempts to sign in";
    private static final Duration PAUSE = Duration.ofMinutes(15);
    private static final Duration DELAY = Duration.ofMinutes(1);

    /** By what they are counted for; each part of a key ends with NUL, which no account and no address contains. */
    private final ConcurrentMap<String, Integer> failures;

    /** The sites from which an attempt at a slowed account has just been let through. */
    private final ConcurrentMap<String, Boolean> slowed;

    @Inject
    public SignInGuard() {
        this(Ticker.systemTicker());
    }

    SignInGuard(Ticker ticker) {
        failures = cache(ticker, PAUSE);
        slowed = cache(ticker, DELAY);
    }

    private static <V> ConcurrentMap<String, V> cache(Ticker ticker, Duration life) {
        Cache<String, V> cache = Caffeine.newBuilder()
                .maximumSize(KNOWN)
                .expireAfterWrite(life)
                .ticker(ticker)
                .build();
        return cache.asMap();
    }

    /** A counter and how far it may go. */
    private record Limit(String key, int most) {}

    /**
     * Who tries to sign in.
     *
     * @param browser the identifier of a browser in which this account has signed in before; empty for none
     */
    record Attempt(String account, String address, String browser) {

        /** That of strangers is the last. */
        private List<Limit> limits() {
            if (!browser.isEmpty()) {
                return List.of(ofBrowser());
            }
            return List.of(ofAddress(address), ofNetwork(), ofStrangers());
        }

        private Limit ofStrangers() {
            return new Limit(prefix() + "*", Integer.MAX_VALUE);
        }

        private String site() {
            return prefix() + "site\0" + Networks.site(address);
        }

        private Limit ofBrowser() {
            return new Limit(prefix() + "browser\0" + browser, NETWORK);
        }

        private Limit ofNetwork() {
            return new Limit(prefix() + "network\0" + Networks.of(address), NETWORK);
        }

        private String prefix() {
            return accountPrefix(account);
        }
    }

    private static String accountPrefix(String account) {
        return "account\0" + account + "\0";
    }

    private static Limit ofAddress(String address) {
        return new Limit("address\0" + Networks.of(address), ADDRESS);
    }

    /** Counts an attempt as if it had failed; refuses with 429 when there were too many, or one just now. */
    void begin(Attempt attempt) {
        boolean known = !attempt.browser().isEmpty();
        if (!known
                && failures.getOrDefault(attempt.ofStrangers().key(), 0) >= STRANGERS
                && slowed.containsKey(attempt.site())) {
            throw Refusal.rateLimited(TRIES, DELAY); // before it is counted, which would prolong the pause
        }
        List<Limit> counted = new ArrayList<>();
        int last = 0;
        for (Limit limit : attempt.limits()) {
            last = count(limit);
            if (last == 0) {
                counted.forEach(this::takeBack);
                throw Refusal.rateLimited(TRIES, PAUSE);
            }
            counted.add(limit);
        }
        if (!known && last > STRANGERS && slowed.putIfAbsent(attempt.site(), true) != null) {
            counted.forEach(this::takeBack);
            throw Refusal.rateLimited(TRIES, DELAY);
        }
    }

    /** As above, for an attempt that can be of no account. */
    void begin(String address) {
        if (count(ofAddress(address)) == 0) {
            throw Refusal.rateLimited(TRIES, PAUSE);
        }
    }

    /** Counts one more and returns how many; with so many already it changes nothing, the pause goes on, and it is 0. */
    private int count(Limit limit) {
        while (true) {
            Integer before = failures.putIfAbsent(limit.key(), 1);
            if (before == null) {
                return 1;
            }
            if (before >= limit.most()) {
                return 0;
            }
            if (failures.replace(limit.key(), before, before + 1)) {
                return before + 1;
            }
        }
    }

    private void takeBack(Limit limit) {
        failures.computeIfPresent(limit.key(), (any, count) -> count > 1 ? Integer.valueOf(count - 1) : null);
    }

    /** The attempt was none: it was not compared. */
    void takeBack(Attempt attempt) {
        attempt.limits().forEach(this::takeBack);
    }

    /** The password was right: earlier failures of the account from there are forgotten, those of strangers are not. */
    void succeeded(Attempt attempt) {
        takeBack(attempt);
        failures.remove((attempt.browser().isEmpty() ? attempt.ofNetwork() : attempt.ofBrowser()).key());
    }

    /** The account has a new password. */
    void forget(String account) {
        failures.keySet().removeIf(key -> key.startsWith(accountPrefix(account)));
        slowed.keySet().removeIf(key -> key.startsWith(accountPrefix(account)));
    }
}
