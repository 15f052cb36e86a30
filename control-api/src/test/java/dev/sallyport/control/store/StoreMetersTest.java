package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.TestMeters;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store tells of itself. */
class StoreMetersTest {

    @TempDir
    Path folder;

    @Test
    void commitsAreTimedAndTheirTransactionsCounted() throws Exception {
        try (TestMeters meters = new TestMeters();
                Store store = Store.open(
                        new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC(), meters)) {
            long before = meters.count("sallyport.control.store.commit.duration");
            for (int i = 0; i < 5; i++) {
                store.write(transaction -> 1);
            }
            assertThatThrownBy(() -> store.write(transaction -> {
                        throw new IllegalArgumentException("no");
                    }))
                    .hasMessage("no");

            // On SQLite, a transaction that is undone shares a commit with others.
            assertThat(meters.count("sallyport.control.store.commit.duration") - before)
                    .isBetween(5L, 6L);
            assertThat(meters.count("sallyport.control.store.commit.transactions"))
                    .isEqualTo(meters.count("sallyport.control.store.commit.duration"));
            assertThat(meters.metric("sallyport.control.store.failures")).isNull();
        }
    }
}
