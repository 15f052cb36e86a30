package dev.sallyport.control.api;

import dev.sallyport.control.model.Refusal;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads bodies, of which as much is parsed at once as a budget allows: a parsed tree takes many times the memory of its
 * text. Whoever waits for too long is refused with 503. Thread-safe.
 */
@Singleton
final class Bodies {

    /** The largest body of a resource that is small. */
    static final int SMALL = 16 << 10;

    private static final int UNIT = 1 << 10;
    private static final int BUDGET = 8 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Semaphore units;
    private final Duration patience;

    @Inject
    Bodies() {
        this(BUDGET, PATIENCE);
    }

    /** @param budget in bytes */
    Bodies(int budget, Duration patience) {
        this.units = new Semaphore(budget / UNIT, true);
        this.patience = patience;
    }

    /** Parses and binds a body; see {@link BodyBinder#body}. */
    <R extends Record> R read(byte @Nullable [] body, Class<R> type) {
        return within(body, () -> BodyBinder.body(body, type));
    }

    /** As {@link #read}; refuses with 413 what is longer than {@link #SMALL}. */
    <R extends Record> R readSmall(byte @Nullable [] body, Class<R> type) {
        if (body != null && body.length > SMALL) {
            throw tooLarge();
        }
        return read(body, type);
    }

    static Refusal tooLarge() {
        return Refusal.of(413, "payload_too_large", "a body of more than 16 KiB (expected: a smaller one)");
    }

    /** Does what needs the parsed tree of a body. */
    <T> T within(byte @Nullable [] body, Supplier<T> work) {
        int wanted = 1 + (body == null ? 0 : body.length / UNIT);
        try {
            if (!units.tryAcquire(wanted, patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Refusal.overloaded();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.overloaded();
        }
        try {
            return work.get();
        } finally {
            units.release(wanted);
        }
    }
}
