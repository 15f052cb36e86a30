package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.testsupport.Patience;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two processes on one PostgreSQL. */
@Tag("long")
@Timeout(120)
class ReplicasTest {

    private final StoreSettings settings = new StoreSettings(TestDatabase.postgres(), null, null);

    /** The trap of sequences: a slower transaction is not skipped, because numbers are given in the order of commits. */
    @Test
    void aSlowerTransactionIsNotSkipped() throws Exception {
        try (Store one = Store.open(settings, Clock.systemUTC());
                Store other = Store.open(settings, Clock.systemUTC())) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            Thread slow = Thread.ofVirtual()
                    .start(() -> one.write(transaction -> {
                        transaction.changed("slow", "x", "x");
                        begun.countDown();
                        try {
                            return go.await(3L * Patience.SECONDS, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }));
            begun.await();
            ChangeLog log = new ChangeLog(other);
            long before = log.last();
            long fast = change(other, "fast");
            assertThat(log.organizations(before, log.last())).containsExactly("fast");
            go.countDown();
            slow.join();

            assertThat(log.organizations(fast, log.last())).containsExactly("slow");
        }
    }

    /** What another process changes wakes this one; also after its connection was lost. */
    @Test
    void aChangeOfAnotherProcessWakes() throws Exception {
        try (Store one = Store.open(settings, Clock.systemUTC());
                Store other = Store.open(settings, Clock.systemUTC())) {
            Semaphore wakes = new Semaphore(0);
            other.onChange(wakes::release);
            assertThat(wakes.tryAcquire(3L * Patience.SECONDS, TimeUnit.SECONDS))
                    .as("connected")
                    .isTrue();

            change(one, "first");
            assertThat(wakes.tryAcquire(3L * Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();

            one.read(handle -> handle.createQuery(
                            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sallyport-control-listen' and datname = current_database()")
                    .mapTo(Boolean.class)
                    .one());
            assertThat(wakes.tryAcquire(3L * Patience.SECONDS, TimeUnit.SECONDS))
                    .as("connected again")
                    .isTrue();
            change(one, "second");
            assertThat(wakes.tryAcquire(3L * Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private static long change(Store store, String organization) {
        return store.write(transaction -> {
                    transaction.changed(organization, "x", "x");
                    return true;
                })
                .position();
    }
}
