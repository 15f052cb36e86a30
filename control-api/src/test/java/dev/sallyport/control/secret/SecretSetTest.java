package dev.sallyport.control.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What proxies of an organization will get of its secrets. */
class SecretSetTest {

    private static final Caller OWNER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");

    @TempDir
    Path folder;

    private Store store;
    private Secrets secrets;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        Ids ids = new Ids();
        secrets =
                new Secrets(store, ids, new AdminAudit(store, ids), Envelope.of(Envelope.newKey()), Clock.systemUTC());
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

    private Secret made(String name, String value) {
        return secrets.create(OWNER, new SecretDraft(name, value, name.toUpperCase(Locale.ROOT), null, null, null))
                .value();
    }

    private SecretSet set(String organization) {
        return store.readAtOneMoment(handle -> SecretSet.of(handle, organization));
    }

    private String value(StoredSecret stored) {
        return new String(secrets.value("org_a", stored), StandardCharsets.UTF_8);
    }

    @Test
    void itHasTheSecretsWithTheirValuesAndVersions() {
        Secret one = made("one", "first");
        made("two", "second");
        long before = set("org_a").secrets().getFirst().version();
        secrets.change(OWNER, one.id(), new SecretPatch(null, "rotated", null, null, null, null), false);

        SecretSet set = set("org_a");

        assertThat(set.secrets()).extracting(stored -> stored.secret().name()).containsExactly("one", "two");
        assertThat(set.secrets()).extracting(this::value).containsExactly("rotated", "second");
        assertThat(set.secrets())
                .extracting(StoredSecret::version)
                .doesNotHaveDuplicates()
                .doesNotContain(before);
        assertThat(set("org_b").secrets()).isEmpty();
    }

    @Test
    void aValueIsBoundToItsRowAndItsOrganization() {
        made("one", "first");
        made("two", "second");
        StoredSecret one = set("org_a").secrets().get(0);
        StoredSecret two = set("org_a").secrets().get(1);

        StoredSecret moved = new StoredSecret(one.secret(), 1, two.sealed());

        assertThatThrownBy(() -> secrets.value("org_a", moved))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageNotContaining("second");
        assertThatThrownBy(() -> secrets.value("org_b", one)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void thePlaceholderOfADeletedSecretStaysKnownUntilItIsOldOrTheNameIsUsedAgain() {
        secrets.delete(OWNER, made("one", "first").id());
        secrets.delete(OWNER, made("two", "second").id());
        made("two", "again");

        assertThat(set("org_a").deleted()).containsExactly("one");
        secrets.forget(Duration.ofDays(1));
        assertThat(set("org_a").deleted()).containsExactly("one");
        secrets.forget(Duration.ofDays(-1));
        assertThat(set("org_a").deleted()).isEmpty();
    }

    @Test
    void ofDeletedNamesTheNewestThousandAreKept() {
        store.write(transaction -> {
            for (int i = 0; i < 1500; i++) {
                transaction
                        .sql()
                        .execute(
                                "insert into deleted_secret (organization_id, name, deleted_at) values ('org_a', ?, ?)",
                                "old" + i,
                                (long) i);
            }
            return transaction
                    .sql()
                    .execute("insert into deleted_secret (organization_id, name, deleted_at) values ('org_b', 'b', 0)");
        });
        assertThat(set("org_a").deleted())
                .hasSize(1000)
                .contains("old500", "old1499")
                .doesNotContain("old499");

        secrets.delete(OWNER, made("one", "first").id());

        assertThat(set("org_a").deleted())
                .hasSize(1000)
                .contains("one", "old501", "old1499")
                .doesNotContain("old500");
        assertThat(store.<Integer>read(handle -> handle.createQuery(
                                "select count(*) from deleted_secret where organization_id = 'org_a'")
                        .mapTo(Integer.class)
                        .one()))
                .isEqualTo(1000);
        assertThat(set("org_b").deleted()).containsExactly("b");
    }

    @Test
    void itIsOfOneMomentWithTheNumberOfTheLastChange() {
        made("one", "first");
        long number = store.readAtOneMoment(handle -> {
            long before = Store.position(handle);
            // On another connection: a thread has one.
            CompletableFuture.supplyAsync(() -> made("two", "second")).join();
            assertThat(SecretSet.of(handle, "org_a").secrets()).hasSize(1);
            return before;
        });

        assertThat(number).isEqualTo(1);
        assertThat(store.read(Store::position)).isEqualTo(2);
    }
}
