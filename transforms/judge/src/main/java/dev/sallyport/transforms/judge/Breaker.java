package dev.sallyport.transforms.judge;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Stops calls to a model that fails again and again. After a cooldown one call is let through: its success closes the
 * breaker, its failure opens it for another whole cooldown. Outcomes of calls that began before it opened do not
 * matter. Thread-safe.
 */
final class Breaker {

    private final Clock clock;
    private final int limit;
    private final Duration cooldown;
    private int failures;
    private @Nullable Instant openUntil;
    private boolean probing;

    Breaker(Clock clock, JudgeConfig.CircuitBreaker config) {
        this.clock = clock;
        this.limit = config.consecutiveFailures();
        this.cooldown = config.cooldown();
    }

    /** The breaker's answer to a call. */
    enum Pass {
        /** An ordinary call. */
        CALL,
        /** The call whose outcome decides. */
        PROBE,
        /** The call must not be made. */
        NONE
    }

    /** Whether {@link #enter} would let a call through now. */
    synchronized boolean mayEnter() {
        return openUntil == null || (!probing && !clock.instant().isBefore(openUntil));
    }

    /** Asks for a call; its outcome must be reported. */
    synchronized Pass enter() {
        if (openUntil == null) {
            return Pass.CALL;
        }
        if (!mayEnter()) {
            return Pass.NONE;
        }
        probing = true;
        return Pass.PROBE;
    }

    /** Reports that the call ended with a verdict. */
    synchronized void succeeded(Pass pass) {
        if (pass == Pass.PROBE) {
            probing = false;
            openUntil = null;
        }
        if (openUntil == null) {
            failures = 0;
        }
    }

    /** Reports that the call ended without a verdict; returns whether this opened the breaker. */
    synchronized boolean failed(Pass pass) {
        if (pass == Pass.PROBE) {
            probing = false;
            open();
            return true;
        }
        if (openUntil == null && ++failures >= limit) {
            open();
            return true;
        }
        return false;
    }

    /** Reports that the call was cancelled before it ended, which says nothing about the model. */
    synchronized void abandoned(Pass pass) {
        if (pass == Pass.PROBE) {
            probing = false;
        }
    }

    private void open() {
        failures = 0;
        openUntil = clock.instant().plus(cooldown);
    }
}
