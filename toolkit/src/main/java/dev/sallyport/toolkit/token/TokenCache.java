package dev.sallyport.toolkit.token;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One token, minted once for any number of waiting requests.
 *
 * <ul>
 *   <li>It is renewed at 80 % of its lifetime or 60 s before its end, whichever is later, by the first request after
 *       that; requests use the old token while the renewal runs in the background.
 *   <li>In the last 10 s of its lifetime (a tenth of a shorter one) it is not handed out: it would expire in transit.
 *   <li>A failed mint fails all waiting requests. For a second after it, doubled with each further failure up to 30 s,
 *       or for as long as the issuer asked (from 1 s to 5 minutes), requests fail at once without a call. A valid token
 *       stays in use meanwhile.
 *   <li>A token that an API refuses is {@linkplain #refused given up}, at most once in 10 s.
 *   <li>When a credential changes, a token that was minted with the previous one is discarded, and so is a failure. Who
 *       waits for a mint with the previous one gets the token of another mint, or its failure.
 * </ul>
 *
 * <p>The minter comes with each call, so that a cache can outlive the transform that made it
 * ({@link dev.sallyport.spi.BuildContext#keep}). Thread-safe. Mints run on virtual threads of their own.
 */
public final class TokenCache implements AutoCloseable {

    private static final Duration REFRESH_BEFORE = Duration.ofSeconds(60);
    private static final Duration UNUSED_BEFORE_END = Duration.ofSeconds(10);
    private static final Duration KEPT_AFTER_REFUSAL = Duration.ofSeconds(10);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(30);
    private static final Duration LONGEST_ASKED_PAUSE = Duration.ofMinutes(5);

    private final Clock clock;

    private volatile @Nullable Held held;
    /** The time at which the next background renewal may begin; {@link Long#MAX_VALUE} while one runs. */
    private volatile long refreshAt = Long.MAX_VALUE;

    // Guarded by this.
    /** The time before which no token is given up early. */
    private long keptUntil = Long.MIN_VALUE;

    private @Nullable Mint running;
    private @Nullable Failed failed;
    private long mints;
    private boolean closed;

    /** A token; its end in milliseconds of the clock. */
    private record Held(AccessToken token, long credentials, long endsAt) {}

    /** A failure, and the time until which requests fail with it. */
    private record Failed(MintException failure, long credentials, int count, long until) {}

    /** A running mint. */
    private record Mint(long number, long credentials, CompletableFuture<AccessToken> result, Thread thread) {}

    /** An empty cache that uses this clock. */
    public TokenCache(Clock clock) {
        this.clock = clock;
    }

    /**
     * The token if it is valid; starts a renewal when it is due. Takes no lock and allocates nothing, unless a renewal
     * starts.
     */
    public @Nullable AccessToken current(Minter minter) {
        Held mine = held;
        if (mine == null || mine.credentials < minter.credentials()) {
            return null;
        }
        long now = clock.millis();
        if (now >= mine.endsAt) {
            return null;
        }
        if (now >= refreshAt) {
            refreshBehind(minter);
        }
        return mine.token;
    }

    /**
     * The token, from a mint that all callers share. Fails with {@link MintException}. Cancelling the stage stops
     * waiting but not the mint.
     */
    public CompletionStage<AccessToken> await(Minter minter) {
        long credentials = minter.credentials();
        synchronized (this) {
            long now = clock.millis();
            Held mine = held;
            if (mine != null && mine.credentials >= credentials && now < mine.endsAt) {
                return CompletableFuture.completedFuture(mine.token);
            }
            Mint current = running;
            if (current == null || current.credentials < credentials) {
                Failed last = failed;
                if (last != null && last.credentials >= credentials && now < last.until) {
                    return CompletableFuture.failedFuture(last.failure);
                }
                current = begin(minter, credentials);
            }
            return current.result.copy();
        }
    }

    private synchronized void refreshBehind(Minter minter) {
        if (running == null && clock.millis() >= refreshAt) {
            begin(minter, minter.credentials());
        }
    }

    private Mint begin(Minter minter, long credentials) {
        refreshAt = Long.MAX_VALUE;
        CompletableFuture<AccessToken> result = new CompletableFuture<>();
        long startedAt = clock.millis();
        long number = ++mints;
        Thread thread = Thread.ofVirtual().name("sallyport-mint").unstarted(() -> {
            try {
                AccessToken token = mint(minter);
                if (minted(number, minter, token, credentials, startedAt)) {
                    result.complete(token);
                } else {
                    follow(result, await(minter));
                }
            } catch (MintException e) {
                failed(number, e, credentials);
                result.completeExceptionally(e);
            }
        });
        Mint mint = new Mint(number, credentials, result, thread);
        running = mint;
        thread.start();
        return mint;
    }

    private AccessToken mint(Minter minter) throws MintException {
        try {
            if (closed()) {
                throw new InterruptedException();
            }
            return minter.mint();
        } catch (InterruptedException e) {
            throw new MintException("interrupted");
        } catch (RuntimeException | Error e) {
            // The exception's message may quote a credential.
            throw new MintException("mint_failed");
        }
    }

    private synchronized boolean closed() {
        return closed;
    }

    /** Returns false when the credentials have changed since: the token is of no use. */
    private synchronized boolean minted(
            long number, Minter minter, AccessToken token, long credentials, long startedAt) {
        boolean last = ends(number);
        if (minter.credentials() > credentials) {
            return false;
        }
        if (last) {
            long lifetime = Math.max(0, token.lifetime().toMillis());
            failed = null;
            held = new Held(token, credentials, startedAt + lifetime - margin(lifetime));
            refreshAt = startedAt + Math.max(lifetime * 8 / 10, lifetime - REFRESH_BEFORE.toMillis());
        }
        return true;
    }

    private static void follow(CompletableFuture<AccessToken> result, CompletionStage<AccessToken> other) {
        other.whenComplete((token, failure) -> {
            if (failure == null) {
                result.complete(token);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    /** What became of a token that an API refused. */
    enum Refused {
        /** It was given up: the next request mints another one. */
        GIVEN_UP,
        /** It had been given up or renewed already. */
        REPLACED,
        /** It stays: another one was given up less than 10 s ago. */
        KEPT
    }

    /** An API has refused this token (401): gives it up, unless that has just been done. */
    synchronized Refused refused(AccessToken token) {
        Held mine = held;
        if (mine == null || mine.token != token) {
            return Refused.REPLACED;
        }
        long now = clock.millis();
        if (now < keptUntil) {
            return Refused.KEPT;
        }
        keptUntil = now + KEPT_AFTER_REFUSAL.toMillis();
        held = null;
        return Refused.GIVEN_UP;
    }

    /** Gives up a token that was minted with former credentials, so that it is gone from memory too. */
    synchronized void forgetFormer(Minter minter) {
        Held mine = held;
        if (mine != null && mine.credentials < minter.credentials()) {
            held = null;
        }
    }

    /** Whether this is the token that it hands out. */
    boolean holds(AccessToken token) {
        Held mine = held;
        return mine != null && mine.token == token;
    }

    private static long margin(long lifetime) {
        return Math.min(UNUSED_BEFORE_END.toMillis(), lifetime / 10);
    }

    private synchronized void failed(long number, MintException failure, long credentials) {
        if (ends(number)) {
            Failed before = failed;
            int count = before == null || before.credentials < credentials ? 1 : before.count + 1;
            long until = clock.millis() + pause(failure, count).toMillis();
            failed = new Failed(failure, credentials, count, until);
            refreshAt = until;
        }
    }

    private static Duration pause(MintException failure, int count) {
        Duration asked = failure.retryAfter();
        if (asked != null) {
            return asked.compareTo(FIRST_PAUSE) < 0
                    ? FIRST_PAUSE
                    : asked.compareTo(LONGEST_ASKED_PAUSE) > 0 ? LONGEST_ASKED_PAUSE : asked;
        }
        Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(count - 1, 5));
        return doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
    }

    /** Whether this was the current mint, which has now ended; another mint uses newer credentials. */
    private boolean ends(long number) {
        Mint current = running;
        if (current == null || current.number != number) {
            return false;
        }
        running = null;
        return true;
    }

    /** Aborts a mint; waiting callers get a failure. */
    @Override
    public synchronized void close() {
        closed = true;
        if (running != null) {
            running.thread.interrupt();
        }
    }

    @Override
    public String toString() {
        return "TokenCache[" + (held == null ? "empty" : "***") + "]";
    }
}
