package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements with places. */
class StatementsTest {

    private static final String INSERT =
            "insert into egress_rule (id, organization_id, name, host_key, bytes, created_at) values (?, ?, ?, ?, ?, ?)";
    private static final String NAMES = "select name from egress_rule where organization_id = ? order by id";

    @TempDir
    Path folder;

    private Store store;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(transaction -> Statements.update(
                transaction.sql(), "insert into organization (id, name, created_at) values (?, ?, ?)", "org", "o", 0));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private int put(String id, @Nullable String name) {
        return store.write(transaction -> Statements.update(
                        transaction.sql(),
                        INSERT,
                        id,
                        "org",
                        name,
                        id.getBytes(StandardCharsets.UTF_8),
                        3L,
                        Long.MAX_VALUE))
                .value();
    }

    @Test
    void valuesOfAllKindsAreReadBack() {
        assertThat(put("a", null)).isEqualTo(1);

        List<@Nullable Object> row = store.read(handle -> Statements.first(
                handle,
                "select id, name, host_key, bytes, created_at from egress_rule where id = ?",
                found -> {
                    List<@Nullable Object> values = new ArrayList<>();
                    values.add(found.getString(1));
                    values.add(found.getString(2));
                    values.add(new String(found.getBytes(3), StandardCharsets.UTF_8));
                    values.add(found.getLong(4));
                    values.add(found.getLong(5));
                    return values;
                },
                "a"));

        assertThat(row).containsExactly("a", null, "a", 3L, Long.MAX_VALUE);
    }

    @Test
    void allRowsAreFoundOrTheFirstOrNone() {
        put("a", "one");
        put("b", "two");

        assertThat(store.<List<String>>read(handle -> Statements.all(handle, NAMES, row -> row.getString(1), "org")))
                .containsExactly("one", "two");
        assertThat(store.<@Nullable String>read(
                        handle -> Statements.first(handle, NAMES, row -> row.getString(1), "org")))
                .isEqualTo("one");
        assertThat(store.<@Nullable String>read(
                        handle -> Statements.first(handle, NAMES, row -> row.getString(1), "none")))
                .isNull();
    }

    @Test
    void theSameTextWithinItselfHasRowsOfItsOwn() {
        put("a", "one");
        put("b", "two");

        List<String> seen = store.read(handle -> Statements.all(
                handle,
                NAMES,
                row -> row.getString(1) + Statements.all(handle, NAMES, inner -> inner.getString(1), "org"),
                "org"));

        assertThat(seen).containsExactly("one[one, two]", "two[one, two]");
    }

    /** Values are hashes of passwords and tokens. */
    @Test
    void whatFailsNamesNoValueAndCanBeRunAgain() {
        put("a", "one");

        assertThatThrownBy(() -> put("b", "one"))
                .hasCauseInstanceOf(SQLException.class)
                .satisfies(fault -> {
                    for (Throwable each = fault; each != null; each = each.getCause()) {
                        assertThat(each.toString()).doesNotContain("one");
                    }
                });

        assertThat(put("b", "two")).isEqualTo(1);
    }
}
