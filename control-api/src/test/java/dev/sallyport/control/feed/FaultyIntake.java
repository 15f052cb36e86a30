package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressIngest;
import dev.sallyport.control.audit.EgressIntake;
import dev.sallyport.control.store.Store;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A database that fails as a test says, before or after it has committed. */
final class FaultyIntake implements EgressIntake {

    /** Nothing reaches it. */
    volatile boolean away;

    /** Throws what refuses a batch. */
    volatile Consumer<EgressBatch> before = batch -> {};

    /** Throws although the batch is stored. */
    volatile Consumer<EgressBatch> after = batch -> {};

    /** What came, whatever became of it. */
    final List<EgressBatch> tried = new CopyOnWriteArrayList<>();

    private final EgressIngest real;

    FaultyIntake(Store store) {
        this.real = new EgressIngest(store, Clock.systemUTC());
    }

    /** Does what it should from now on. */
    void heal() {
        away = false;
        before = batch -> {};
        after = batch -> {};
    }

    @Override
    public void add(List<EgressBatch> batches) {
        reach();
        tried.addAll(batches);
        batches.forEach(before);
        real.add(batches);
        batches.forEach(after);
    }

    @Override
    public void probe() {
        reach();
        real.probe();
    }

    private void reach() {
        if (away) {
            throw new IllegalStateException("the database is away");
        }
    }
}
