package dev.sallyport.control.api;

import dev.sallyport.control.feed.Fanout;
import dev.sallyport.control.store.Store;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Whether the database answers, and changes reach proxies. The database is asked once a second at most, however often somebody wants to know. Thread-safe. */
@Singleton
final class Readiness {

    private static final long KEPT = Duration.ofSeconds(1).toNanos();

    private final BooleanSupplier database;
    private final BooleanSupplier feed;
    private final LongSupplier nanoTime;
    private @Nullable Finding last;

    private record Finding(boolean good, long at) {}

    @Inject
    Readiness(Store store, Fanout fanout) {
        this(store::isReachable, fanout::isCurrent, System::nanoTime);
    }

    Readiness(BooleanSupplier database, BooleanSupplier feed, LongSupplier nanoTime) {
        this.database = database;
        this.feed = feed;
        this.nanoTime = nanoTime;
    }

    /** Blocks while the database is asked. */
    synchronized boolean isReady() {
        Finding finding = last;
        if (finding == null || nanoTime.getAsLong() - finding.at() >= KEPT) {
            finding = new Finding(database.getAsBoolean(), nanoTime.getAsLong());
            last = finding;
        }
        return finding.good() && feed.getAsBoolean();
    }
}
