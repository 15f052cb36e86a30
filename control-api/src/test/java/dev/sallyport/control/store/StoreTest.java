package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions and their order, on the database of this run. */
class StoreTest {

    @TempDir
    Path folder;

    private StoreSettings settings;

    private Store open() throws StoreException {
        if (settings == null) {
            settings = new StoreSettings(TestDatabase.url(folder), null, null);
        }
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
    void whatIsWrittenIsThereAfterANewStart() throws Exception {
        try (Store store = open()) {
            store.write(transaction -> put(transaction, "a"));
        }
        try (Store store = open()) {
            assertThat(names(store)).containsExactly("a");
        }
    }

    @Test
    void anExceptionUndoesItsTransactionAndNoOther() throws Exception {
        try (Store store = open();
                ExecutorService threads = Executors.newFixedThreadPool(16)) {
            List<Future<Written<Integer>>> results = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                results.add(threads.submit(() -> store.write(transaction -> {
                    transaction.changed("org", "meta", "n" + number);
                    put(transaction, "n" + number);
                    if (number % 3 == 0) {
                        throw new IllegalArgumentException("no " + number);
                    }
                    return number;
                })));
            }
            List<Long> positions = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Future<Written<Integer>> result = results.get(i);
                if (i % 3 == 0) {
                    assertThatThrownBy(result::get).hasRootCauseMessage("no " + i);
                } else {
                    assertThat(result.get().value()).isEqualTo(i);
                    positions.add(result.get().position());
                }
            }

            assertThat(names(store)).hasSize(66);
            assertThat(positions).doesNotHaveDuplicates();
            List<Long> stored = store.read(handle -> handle.createQuery("select position from change order by position")
                    .mapTo(Long.class)
                    .list());
            assertThat(stored).containsExactlyInAnyOrderElementsOf(positions);
            assertThat(stored.getLast()).isEqualTo(66);
        }
    }

    @Test
    void aReaderOfLaterPositionsMissesNoSlowerTransaction() throws Exception {
        try (Store store = open();
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            CountDownLatch slowRuns = new CountDownLatch(1);
            CountDownLatch fastMayBegin = new CountDownLatch(1);
            Future<Written<Integer>> slow = threads.submit(() -> store.write(transaction -> {
                put(transaction, "slow");
                transaction.changed("org", "meta", "slow");
                slowRuns.countDown();
                try {
                    fastMayBegin.await(300, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return 1;
            }));
            slowRuns.await();
            Future<Written<Integer>> fast = threads.submit(() -> store.write(transaction -> {
                put(transaction, "fast");
                transaction.changed("org", "meta", "fast");
                return 1;
            }));

            long last = 0;
            List<String> seen = new ArrayList<>();
            while (!slow.isDone() || !fast.isDone() || seen.size() < 2) {
                long after = last;
                List<Change> changes = store.read(handle -> handle.createQuery(
                                "select position, resource_id from change where position > :last order by position")
                        .bind("last", after)
                        .map((row, context) -> new Change(row.getLong(1), row.getString(2)))
                        .list());
                for (Change change : changes) {
                    seen.add(change.id());
                    last = change.position();
                }
            }

            assertThat(seen).containsExactlyInAnyOrder("slow", "fast");
            assertThat(slow.get().position()).isNotEqualTo(fast.get().position());
        }
    }

    private record Change(long position, String id) {}

    @Test
    void changesOfOneTransactionGetNumbersInTheirOrder() throws Exception {
        try (Store store = open()) {
            Written<Integer> written = store.write(transaction -> {
                transaction.changed("org", "meta", "a");
                transaction.changed("org", "meta", "b");
                return 1;
            });

            assertThat(written.position()).isEqualTo(2);
            assertThat(store.write(transaction -> "nothing").position()).isZero();
            List<String> changed =
                    store.read(handle -> handle.createQuery("select resource_id from change order by position")
                            .mapTo(String.class)
                            .list());
            assertThat(changed).containsExactly("a", "b");
        }
    }

    @Test
    void noMessageOfAnExceptionHoldsWhatWasBound() throws Exception {
        try (Store store = open()) {
            store.write(transaction -> put(transaction, "hunter2"));

            assertThatThrownBy(() -> store.write(transaction -> put(transaction, "hunter2")))
                    .satisfies(fault -> assertThat(traceOf(fault)).doesNotContain("hunter2"));
            assertThatThrownBy(() -> store.read(handle -> handle.createQuery("select nothing from meta where name = :n")
                            .bind("n", "hunter2")
                            .mapTo(String.class)
                            .list()))
                    .satisfies(fault -> assertThat(traceOf(fault)).doesNotContain("hunter2"));
        }
    }

    /** As the log has it. */
    private static String traceOf(Throwable fault) {
        StringWriter trace = new StringWriter();
        fault.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    @Test
    void aDatabaseOfANewerVersionIsRefusedInASentence() throws Exception {
        try (Store store = open()) {
            store.write(
                    transaction -> transaction
                            .sql()
                            .execute(
                                    "insert into flyway_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success) values (99, '9999', 'later', 'SQL', 'V9999__later.sql', 1, 'x', 1, true)"));
        }

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessage("the database has schema version 9999, made by a newer Sallyport");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsTold() {
        StoreSettings nowhere = new StoreSettings("jdbc:postgresql://127.0.0.1:1/x?password=hunter2", "u", "p");

        assertThatThrownBy(() -> Store.open(nowhere, Clock.systemUTC()))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("the database cannot be reached: ")
                .hasMessageNotContaining("hunter2");
        assertThat(nowhere.toString()).doesNotContain("hunter2", "127.0.0.1");
    }

    @Test
    void aFullDiskAtTheFirstStartIsTold() {
        // a database that may have eight pages: SQLite says of these what it says of a disk
        String url = "jdbc:sqlite:" + folder.resolve("full.db") + "?max_page_count=8";

        assertThatThrownBy(() -> Store.open(new StoreSettings(url, null, null), Clock.systemUTC()))
                .isInstanceOf(StoreException.class)
                .hasMessage("the database cannot be written: its disk is full")
                .hasFieldOrPropertyWithValue("expected", "room for it");
    }

    @Test
    void writesAfterTheEndAreRefused() throws Exception {
        Store store = open();
        store.close();

        assertThatThrownBy(() -> store.write(transaction -> 1)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void inAnotherEpochWhatSandboxesWereToldIsNotKnown() throws Exception {
        try (Store store = open()) {
            store.write(transaction -> {
                transaction.sql().execute("insert into organization (id, name, created_at) values ('org_1', 'Ada', 1)");
                return transaction
                        .sql()
                        .execute(
                                "insert into vm (id, organization_id, name, name_key, public_key, image, status, status_detail, wanted, must_stop, made, booted, version, host_keys, created_at, updated_at, environment) values ('vm_1', 'org_1', 'n', '', 'k', 'i', 'running', 'ready', 'RUNNING', false, true, true, 1, '[]', 1, 1, 7)");
            });

            store.beginEpoch();

            int unknown = store.read(handle -> handle.createQuery("select count(*) from vm where environment is null")
                    .mapTo(Integer.class)
                    .one());
            assertThat(unknown).isEqualTo(1);
        }
    }

    @Test
    void aBackupOfAnotherDatabaseThanSqliteIsItsOwnBusiness() throws Exception {
        Path copy = folder.resolve("copy.db");
        try (Store store = open()) {
            String epoch = store.epoch();
            store.beginEpoch();
            assertThat(store.epoch()).hasSize(26).isNotEqualTo(epoch);
            if (settings.dialect() == Dialect.SQLITE) {
                store.backup(copy);
                assertThat(copy).isNotEmptyFile();
            } else {
                assertThatThrownBy(() -> store.backup(copy)).hasMessageContaining("PostgreSQL");
                assertThat(copy).doesNotExist();
            }
        }
    }
}
