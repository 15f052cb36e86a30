package dev.sallyport.control;

import dev.sallyport.control.store.Store;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes what has expired, each minute, and looks at the tables again, each day. */
final class Housekeeping implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    /** After the start; one that is started anew each day would else never clean up. */
    private static final Duration FIRST = Duration.ofMinutes(1);

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-housekeeping").factory());

    private Housekeeping() {}

    static Housekeeping start(ControlServer server, Store store, ControlConfig config) {
        Housekeeping housekeeping = new Housekeeping();
        Duration kept = Duration.ofDays(config.retentionDays());
        Duration counted = Duration.ofDays(config.rollupDays());
        housekeeping.every(Duration.ofMinutes(1), () -> {
            server.devices().tidy();
            server.sessions().tidy();
            server.idempotency().tidy();
        });
        housekeeping.every(Duration.ofDays(1), () -> {
            prune(store, kept);
            server.secrets().forget(kept);
            server.events().prune(kept);
            server.hours().prune(counted);
            server.vms().forget(kept);
            server.snapshots().forget(kept);
            store.analyze();
        });
        return housekeeping;
    }

    private void every(Duration period, Runnable work) {
        thread.scheduleAtFixedRate(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        LOG.warn("housekeeping failed; it is tried again", e);
                    }
                },
                FIRST.toMillis(),
                period.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Removes records, changes and revoked keys that are too old. */
    static void prune(Store store, Duration kept) {
        store.deleteInPortions("admin_audit", "id", "happened_at", kept);
        store.deleteInPortions("change", "position", "changed_at", kept);
        store.deleteInPortions("api_key", "id", "revoked_at", kept);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
