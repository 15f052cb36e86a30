package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much an organization may keep in a table. */
class RowQuotaTest {

    private static final Caller OWNER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");
    private static final Quota QUOTA = new Quota("egress_rule", "egress rules", 2, 4096);

    @TempDir
    Path folder;

    private Store store;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(
                transaction -> transaction
                        .sql()
                        .execute(
                                "insert into organization (id, name, created_at) values ('org_a', 'Ada', 0), ('org_b', 'B', 0)"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void keep(String id, String organization, long bytes) {
        store.write(transaction -> {
            QUOTA.refuseBeyond(transaction, new Caller(organization, "", null, ""), bytes, "");
            return transaction
                    .sql()
                    .createUpdate(
                            "insert into egress_rule (id, organization_id, host, host_key, bytes, created_at) values (:id, :organization, 'a', :key, :bytes, 0)")
                    .bind("id", id)
                    .bind("organization", organization)
                    .bind("key", new byte[] {'a'})
                    .bind("bytes", bytes)
                    .execute();
        });
    }

    @Test
    void moreRowsAreRefusedAndThoseOfOthersDoNotCount() {
        keep("1", "org_a", 1);
        keep("2", "org_b", 1);
        keep("3", "org_a", 1);

        assertThatThrownBy(() -> keep("4", "org_a", 1))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("quota_exceeded"))
                .hasMessage("2 egress rules exist (expected: no more)");
    }

    @Test
    void moreBytesAreRefusedUnlessTheRowTakesThePlaceOfAnother() {
        keep("1", "org_a", 4000);

        assertThatThrownBy(() -> keep("2", "org_a", 97))
                .hasMessage("more than 4 KiB of egress rules (expected: no more)");
        keep("2", "org_a", 96);
        store.write(transaction -> {
            QUOTA.refuseBeyond(transaction, OWNER, 4000, "1");
            return true;
        });
    }

    @Test
    void whatIsDeletedOrMadeShorterLeavesRoom() {
        keep("1", "org_a", 2000);
        keep("2", "org_a", 2000);
        assertThatThrownBy(() -> keep("3", "org_a", 1)).hasMessageContaining("2 egress rules exist");

        store.write(transaction -> transaction.sql().execute("delete from egress_rule where id = '1'"));
        assertThatThrownBy(() -> keep("3", "org_a", 2097)).hasMessageContaining("more than 4 KiB");
        store.write(transaction -> transaction.sql().execute("update egress_rule set bytes = 1999 where id = '2'"));
        keep("3", "org_a", 2097);
    }
}
