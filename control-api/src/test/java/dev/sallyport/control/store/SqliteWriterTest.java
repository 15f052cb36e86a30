package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for the one writer of SQLite alone. */
class SqliteWriterTest {

    @TempDir
    Path folder;

    private StoreSettings settings;

    @BeforeEach
    void choose() {
        settings = new StoreSettings("jdbc:sqlite:" + folder.resolve("control.db"), null, null);
    }

    private Store open() throws StoreException {
        return Store.open(settings, Clock.systemUTC());
    }

    private static int put(Transaction transaction, String name) {
        return transaction
                .sql()
                .createUpdate("insert into meta (name, value) values (:name, 'x')")
                .bind("name", name)
                .execute();
    }

    private static List<String> names(Store store) {
        return store.read(handle -> handle.createQuery("select name from meta where value = 'x' order by name")
                .mapTo(String.class)
                .list());
    }

    @Test
    void aWriteWithinAWriteIsAnError() throws Exception {
        try (Store store = open()) {
            assertThatThrownBy(() -> store.write(outer -> store.write(inner -> 1)))
                    .hasMessageContaining("a transaction within a transaction");
            assertThat(store.isReachable()).isTrue();
        }
    }

    @Test
    void afterAFullDatabaseTheNextWriteSucceedsAndIsAnsweredSo() throws Exception {
        try (Store store = open()) {
            store.write(transaction -> transaction.sql().execute("pragma max_page_count = 1"));
            assertThatThrownBy(() -> store.write(transaction -> transaction
                            .sql()
                            .execute("insert into meta (name, value) values ('big', zeroblob(4000000))")))
                    .isInstanceOf(RuntimeException.class);

            store.write(transaction -> transaction.sql().execute("pragma max_page_count = 1000000"));
            store.write(transaction -> put(transaction, "next"));
            assertThatThrownBy(() -> store.write(transaction -> {
                        put(transaction, "undone");
                        throw new IllegalArgumentException("no");
                    }))
                    .hasMessage("no");

            assertThat(names(store)).containsExactly("next");
            assertThat(store.isReachable()).isTrue();
        }
    }

    @Test
    void anIdleWriterHoldsNoLock() throws Exception {
        try (Store store = open()) {
            store.write(transaction -> put(transaction, "a"));
            try (Connection other = DriverManager.getConnection(settings.url());
                    Statement statement = other.createStatement()) {
                statement.execute("pragma busy_timeout = 0");
                statement.execute("insert into meta (name, value) values ('b', 'x')");
            }

            assertThat(names(store)).containsExactly("a", "b");
        }
    }
}
