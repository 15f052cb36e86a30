package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is too old is removed, and nothing else. */
class HousekeepingTest {

    @TempDir
    Path folder;

    private static long count(Store store, String table) {
        return store.read(handle -> handle.createQuery("select count(*) from " + table)
                .mapTo(Long.class)
                .one());
    }

    @Test
    void manyOldRecordsAreRemovedAndYoungOnesStay() throws Exception {
        try (Store store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC())) {
            store.write(transaction -> {
                long old = transaction.now() - Duration.ofDays(91).toMillis();
                for (int i = 0; i < 2500; i++) {
                    record(transaction.sql(), "old" + i, old);
                }
                record(transaction.sql(), "young", transaction.now());
                return 1;
            });
            store.write(transaction -> {
                transaction.changed("org", "meta", "young");
                return transaction
                        .sql()
                        .execute("insert into change (position, organization_id, kind, resource_id, changed_at)"
                                + " values (-1, 'org', 'meta', 'old', 0)");
            });

            Housekeeping.prune(store, Duration.ofDays(90));

            assertThat(count(store, "admin_audit")).isEqualTo(1);
            assertThat(count(store, "change")).isEqualTo(1);
        }
    }

    @Test
    void keysThatWereRevokedLongAgoAreRemoved() throws Exception {
        try (Store store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC())) {
            store.write(transaction -> {
                Handle sql = transaction.sql();
                sql.execute("insert into organization (id, name, created_at) values ('org', 'Ada', 0)");
                sql.execute("insert into users (id, organization_id, first_name, last_name, email, email_key,"
                        + " email_verified, password_hash, created_at)"
                        + " values ('usr', 'org', 'Ada', 'L', 'a@b', 'a@b', false, 'h', 0)");
                long old = transaction.now() - Duration.ofDays(91).toMillis();
                for (int i = 0; i < 1500; i++) {
                    key(sql, "old" + i, old);
                }
                key(sql, "young", transaction.now());
                key(sql, "live", null);
                return 1;
            });

            Housekeeping.prune(store, Duration.ofDays(90));

            List<String> left = store.read(handle -> handle.createQuery("select id from api_key order by id")
                    .mapTo(String.class)
                    .list());
            assertThat(left).containsExactly("live", "young");
        }
    }

    private static void key(Handle sql, String id, @Nullable Long revokedAt) {
        sql.createUpdate(
                        "insert into api_key (id, organization_id, user_id, name, prefix, token_hash, created_at, revoked_at)"
                                + " values (:id, 'org', 'usr', 'k', 'sp', :id, 0, :revoked)")
                .bind("id", id)
                .bind("revoked", revokedAt)
                .execute();
    }

    @Test
    void rowsWithAKeyOfTwoColumnsAreRemovedInPortions() throws Exception {
        try (Store store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC())) {
            store.write(transaction -> {
                for (int i = 0; i < 1500; i++) {
                    transaction
                            .sql()
                            .createUpdate(
                                    "insert into idempotency (scope, idempotency_key, request_hash, created_at) values ('s', :key, 'h', :time)")
                            .bind("key", "k" + i)
                            .bind("time", i < 1400 ? 0 : transaction.now())
                            .execute();
                }
                return 1;
            });

            store.deleteInPortions("idempotency", "scope, idempotency_key", "created_at", Duration.ofHours(24));

            assertThat(count(store, "idempotency")).isEqualTo(100);
        }
    }

    private static void record(Handle sql, String id, long time) {
        sql.createUpdate("insert into admin_audit (id, organization_id, happened_at, action, resource, resource_id)"
                        + " values (:id, 'org', :time, 'create', 'user', 'usr_1')")
                .bind("id", id)
                .bind("time", time)
                .execute();
    }
}
