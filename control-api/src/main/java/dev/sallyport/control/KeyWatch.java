package dev.sallyport.control;

import dev.sallyport.control.model.Faults;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the keyset again and again, on a thread of its own, and tells others with which key this process seals. Who
 * rotates relies on that: it removes no key with which another one may still seal.
 */
final class KeyWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);

    /** Six times before others take this process for gone; see {@link KeyReplicas#SILENCE}. */
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final KeyRotation rotation;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-key").factory());

    private final boolean alone;
    private final AtomicBoolean looksSoon = new AtomicBoolean();
    private volatile Runnable renewal = () -> {};

    private KeyWatch(KeyRotation rotation, boolean alone) {
        this.rotation = rotation;
        this.alone = alone;
    }

    /**
     * Joins the processes that use the database, before this one seals anything.
     *
     * @param alone whether there can be no other: then nobody is told anything
     */
    static KeyWatch start(KeyRotation rotation, boolean alone) {
        return start(rotation, alone, PERIOD);
    }

    /** @param period how often the keyset is read */
    static KeyWatch start(KeyRotation rotation, boolean alone, Duration period) {
        if (!alone) {
            rotation.guard();
            rotation.join();
        }
        KeyWatch watch = new KeyWatch(rotation, alone);
        watch.thread.scheduleAtFixedRate(watch::look, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
        return watch;
    }

    /**
     * Has this called whenever the keyset has been read: values that could not be opened may be opened now.
     *
     * @param then must not block
     */
    void onRenewal(Runnable then) {
        renewal = then;
    }

    /** Has the keyset be read soon, because a key is missed. Never waits. */
    void lookSoon() {
        if (!thread.isShutdown() && looksSoon.compareAndSet(false, true)) {
            thread.execute(() -> {
                looksSoon.set(false);
                look();
            });
        }
    }

    private void look() {
        try {
            if (alone ? rotation.renew() : rotation.follow()) {
                renewal.run();
            }
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("others cannot be told the encryption key of this process; it is tried again", e);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        if (!alone) {
            rotation.leave();
        }
    }
}
