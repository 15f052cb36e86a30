package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.policy.PolicySets;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.control.workload.Workloads;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may come in is read for many accounts together, and what is wrong with one concerns no other. */
@Timeout(60)
class AccountWorkloadsTest {

    private static final int ACCOUNTS = 20;

    @TempDir
    Path folder;

    private final PipelineFeed door =
            update -> CompletableFuture.completedFuture(new Applied(update.revision(), Map.of()));
    private final Set<String> all = new HashSet<>();
    private Store store;
    private FeedMeters meters;
    private Fanout fanout;
    private EmbeddedUpdates updates;
    private EmbeddedWorkloads embedded;
    private AccountWorkloads accounts;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        meters = new FeedMeters(OpenTelemetry.noop());
        Ids ids = new Ids();
        AdminAudit audit = new AdminAudit(store, ids);
        Secrets secrets = new Secrets(store, ids, audit, Envelope.of(Envelope.newKey()), Clock.systemUTC());
        fanout = new Fanout(store, new ChangeLog(store), new Accounts(store, secrets), meters);
        EmbeddedDoor there = new EmbeddedDoor(door, List.of(), EmbeddedDoor.FIRST, Set.of(), List::of);
        updates = new EmbeddedUpdates(there);
        embedded = new EmbeddedWorkloads(fanout, there, new InstallationScopes(new PolicySets(store), there), updates);
        accounts = new AccountWorkloads(
                fanout,
                embedded,
                new Workloads(store, ids, audit),
                new ApiKeys(store, ids, audit, Clock.systemUTC()),
                Clock.systemUTC());
        for (int i = 0; i < ACCOUNTS; i++) {
            int number = i;
            String hash = number == 7 ? "abcd" : Tokens.hash("password" + number);
            all.add("org_" + number);
            store.write(transaction -> {
                transaction
                        .sql()
                        .execute("insert into organization (id, name, created_at) values ('org_" + number
                                + "', 'o', 0)");
                return transaction
                        .sql()
                        .execute(
                                "insert into workload (id, organization_id, name, password_hash, created_at) values ('wl_"
                                        + number + "', 'org_" + number + "', 'w', '" + hash + "', 0)");
            });
        }
    }

    @AfterEach
    void close() {
        updates.close();
        fanout.close();
        meters.close();
        store.close();
    }

    private void assertAllAreThereButOne() {
        for (int i = 0; i < ACCOUNTS; i++) {
            String organization = "org_" + i;
            if (i == 7) {
                assertThat(embedded.get("wl_7")).isNull();
                assertThat(accounts.isSettled(organization)).isFalse();
            } else {
                assertThat(embedded.get("wl_" + i)).as("wl_" + i).isNotNull();
                await().until(() -> accounts.isSettled(organization));
            }
        }
    }

    private void repair() {
        store.write(transaction -> transaction
                .sql()
                .execute("update workload set password_hash = '" + Tokens.hash("password7") + "' where id = 'wl_7'"));
        accounts.changed(Set.of());
        assertThat(embedded.get("wl_7")).isNotNull();
        await().until(() -> accounts.isSettled("org_7"));
    }

    @Test
    void anAccountThatCannotBeToldKeepsNoOtherOutAndIsTriedAgain() {
        accounts.changed(all);

        assertAllAreThereButOne();
        repair();
    }

    @Test
    void norDoesItKeepTheControlPlaneFromStarting() {
        accounts.start();

        assertAllAreThereButOne();
        repair();
    }

    private void write(String statement) {
        store.write(transaction -> transaction.sql().execute(statement));
    }

    /** A key that has been revoked opens nothing, whatever else of the account cannot be told. */
    @Test
    void norDoesARowThatCannotBeToldKeepARevokedKeyOrADeletedWorkload() {
        write("insert into users (id, organization_id, first_name, last_name, email, email_key,"
                + " email_verified, password_hash, created_at)"
                + " values ('usr_7', 'org_7', 'A', 'L', 'a@example.com', 'a@example.com', false, '', 0)");
        write("insert into api_key (id, organization_id, user_id, name, prefix, token_hash, created_at)"
                + " values ('key_7', 'org_7', 'usr_7', 'k', 'p', '" + Tokens.hash("key") + "', 0)");
        write("insert into workload (id, organization_id, name, password_hash, created_at)"
                + " values ('wl_7b', 'org_7', 'v', '" + Tokens.hash("b") + "', 0)");
        accounts.changed(all);
        assertThat(embedded.get("org_7")).as("the account's keys").isNotNull();
        assertThat(embedded.get("wl_7b")).isNotNull();
        assertThat(embedded.get("wl_7")).isNull();

        write("update api_key set revoked_at = 1 where id = 'key_7'");
        write("delete from workload where id = 'wl_7b'");
        accounts.changed(Set.of("org_7"));

        assertThat(embedded.get("org_7")).isNull();
        assertThat(embedded.get("wl_7b")).isNull();
        assertThat(accounts.isSettled("org_7")).isFalse();
        repair();
    }
}
