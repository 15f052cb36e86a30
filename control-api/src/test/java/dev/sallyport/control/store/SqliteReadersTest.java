package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for the connections on which a SQLite is read. */
class SqliteReadersTest {

    /** As many as there are connections: each is used by one of them. */
    private static final int ALL = 4;

    @TempDir
    Path folder;

    private Store store;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(
                new StoreSettings("jdbc:sqlite:" + folder.resolve("control.db"), null, null), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void put(String name) {
        store.write(transaction ->
                Statements.update(transaction.sql(), "insert into meta (name, value) values (?, 'x')", name));
    }

    private static List<String> names(Handle handle) {
        return Statements.all(handle, "select name from meta where value = 'x' order by name", row -> row.getString(1));
    }

    /** Reads on all connections at once; within each read, does this when all of them have begun. */
    private List<List<String>> onAll(Supplier<List<String>> within) throws Exception {
        CyclicBarrier begun = new CyclicBarrier(ALL);
        List<Future<List<String>>> reads = new ArrayList<>();
        List<List<String>> found = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(ALL)) {
            for (int i = 0; i < ALL; i++) {
                reads.add(threads.submit(() -> store.read(handle -> {
                    await(begun);
                    return within.get();
                })));
            }
            for (Future<List<String>> read : reads) {
                found.add(read.get());
            }
        }
        return found;
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aReadWithinAReadNeedsNoOtherConnection() throws Exception {
        put("a");

        assertThat(onAll(() -> store.read(SqliteReadersTest::names)))
                .hasSize(ALL)
                .containsOnly(List.of("a"));
    }

    /** A select that is not at its end would keep its connection at the moment when it began. */
    @Test
    void whatAReadLeavesOpenKeepsNoLaterOneFromWhatIsNew() throws Exception {
        put("a");
        put("b");
        onAll(() -> store.read(handle -> {
            handle.createQuery("select name from meta where value = 'x'")
                    .mapTo(String.class)
                    .iterator()
                    .next();
            return List.of();
        }));

        put("c");

        assertThat(onAll(() -> store.read(SqliteReadersTest::names))).containsOnly(List.of("a", "b", "c"));
    }

    @Test
    void whoeverIsInterruptedStillReads() {
        put("a");
        Thread.currentThread().interrupt();

        assertThat(store.<List<String>>read(SqliteReadersTest::names)).containsExactly("a");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void afterAReadThatFailsItsConnectionIsUsedAgain() throws Exception {
        put("a");
        for (int i = 0; i <= ALL; i++) {
            assertThatThrownBy(() -> store.readAtOneMoment(handle -> {
                        names(handle);
                        throw new IllegalArgumentException("no");
                    }))
                    .hasMessage("no");
        }

        assertThat(onAll(() -> store.readAtOneMoment(SqliteReadersTest::names))).containsOnly(List.of("a"));
    }
}
