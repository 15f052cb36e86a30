package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterator;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements that are prepared once and used again. */
class KeptStatementsTest {

    private static final String NAMES = "select name from meta where value = 'x' order by name";

    @TempDir
    Path folder;

    private Store store;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(
                new StoreSettings("jdbc:sqlite:" + folder.resolve("control.db"), null, null), Clock.systemUTC());
        put("a");
        put("b");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void put(String name) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("insert into meta (name, value) values (:name, 'x')")
                .bind("name", name)
                .execute());
    }

    private static List<String> names(Handle handle) {
        return handle.createQuery(NAMES).mapTo(String.class).list();
    }

    @Test
    void aStatementIsPreparedOnce() {
        Set<Statement> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (String name : List.of("a", "b", "none")) {
            store.write(transaction -> transaction
                    .sql()
                    .createQuery("select value from meta where name = :name")
                    .addCustomizer(new StatementCustomizer() {
                        @Override
                        public void beforeExecution(PreparedStatement statement, StatementContext context) {
                            seen.add(statement);
                        }
                    })
                    .bind("name", name)
                    .mapTo(String.class)
                    .findOne());
        }

        assertThat(seen).hasSize(1);
    }

    @Test
    void theSameTextWithinItselfHasRowsOfItsOwn() {
        List<String> seen = new ArrayList<>();
        store.read(handle -> {
            try (ResultIterator<String> outer =
                    handle.createQuery(NAMES).mapTo(String.class).iterator()) {
                while (outer.hasNext()) {
                    seen.add(outer.next());
                    seen.addAll(names(handle));
                }
            }
            return seen;
        });

        assertThat(seen).containsExactly("a", "a", "b", "b", "a", "b");
    }

    @Test
    void whatFailedOnceWorksAgain() {
        assertThatThrownBy(() -> put("a")).hasMessageContaining("UNIQUE");
        put("c");
        assertThatThrownBy(() -> put("c")).hasMessageContaining("UNIQUE");

        assertThat(store.read(KeptStatementsTest::names)).containsExactly("a", "b", "c");
    }

    @Test
    void whoeverReadsNotToTheEndHoldsNoMomentForTheNext() {
        for (int i = 0; i < 20; i++) {
            String first = store.read(handle ->
                    handle.createQuery(NAMES).mapTo(String.class).findFirst().orElseThrow());
            assertThat(first).isEqualTo("a");
            put("c" + i);
            assertThat(store.read(KeptStatementsTest::names)).hasSize(3 + i);
        }
    }

    @Test
    void aTableThatChangedIsReadAsItIs() {
        assertThat(store.read(KeptStatementsTest::names)).containsExactly("a", "b");

        store.write(transaction -> transaction.sql().execute("alter table meta add column more text"));

        Map<String, Object> row = store.read(handle -> handle.createQuery("select * from meta where name = 'a'")
                .mapToMap()
                .one());
        assertThat(row).containsKey("more");
        assertThat(store.read(KeptStatementsTest::names)).containsExactly("a", "b");
    }

    @Test
    void ofManyTheOldestAreForgotten() {
        for (int round = 0; round < 2; round++) {
            List<Integer> answers = IntStream.range(0, 300)
                    .map(i -> store.read(handle -> handle.createQuery("select " + i)
                            .mapTo(Integer.class)
                            .one()))
                    .boxed()
                    .toList();
            assertThat(answers).hasSize(300).startsWith(0, 1, 2).endsWith(298, 299);
        }
    }
}
