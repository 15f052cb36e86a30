package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much the snapshots of an account may take of the disk. */
class SnapshotQuotaTest {

    private static final TestControl CONTROL = TestControl.with(
            TestControl.NO_LIMITS
                    + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}, size: {disk: 64MiB}, limits: {snapshot_storage_per_account: 100MiB}}\n");

    private static final String PATH = "/v1/snapshots/";
    private static final long ALL = 100L << 20;

    private final FakeDriver driver = CONTROL.sandboxes();
    private Api api;
    private Sandbox vm;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
        vm = Sandbox.ready(api, "a");
    }

    @AfterEach
    void letGo() {
        driver.hold(null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    /** A snapshot that is ready and takes this much. */
    private String ready(Sandbox source, long bytes) throws Exception {
        Api.Reply reply = source.snapshot(null);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        String id = reply.data().path("id").asText();
        Sandbox.awaitSnapshot(api, id, "ready");
        CONTROL.execute("update snapshot set size_bytes = " + bytes + " where id = '" + id + "'");
        return id;
    }

    private void delete(String id) {
        assertThat(api.delete(PATH + id).status()).isEqualTo(204);
        soon().untilAsserted(() -> assertThat(driver.snapshots()).doesNotContain(new SnapshotId(id)));
    }

    private void refused() {
        assertThat(vm.snapshot(null).error()).isEqualTo("409 quota_exceeded");
    }

    private void allowed() {
        soon().untilAsserted(() -> assertThat(vm.snapshot(null).status()).isEqualTo(201));
    }

    @Test
    void anAccountHasAsMuchAsTheOperatorAllowsAndNoOtherIsConcerned() throws Exception {
        ready(vm, ALL / 2 - 1);
        String id = ready(vm, ALL / 2 + 1);
        refused();
        assertThat(Sandbox.ready(CONTROL.newAccount(), "a").snapshot(null).status())
                .isEqualTo(201);

        delete(id);

        allowed();
    }

    @Test
    void whatAVmIsMadeOfCountsUntilTheVmIsGone() throws Exception {
        String id = ready(vm, ALL);
        Sandbox fork = Sandbox.fork(api, "fork", id);
        delete(id);
        CONTROL.forgetSnapshots();
        refused();

        fork.force();
        fork.until("destroyed/destroyed");

        allowed();
    }

    @Test
    void whatASnapshotIsMadeOfCountsUntilTheSnapshotIsGone() throws Exception {
        String first = ready(vm, ALL);
        Sandbox fork = Sandbox.fork(api, "fork", first);
        CONTROL.execute("update snapshot set size_bytes = 1 where id = '" + first + "'");
        String second = ready(fork, 1);
        CONTROL.execute("update snapshot set size_bytes = " + ALL + " where id = '" + first + "'");
        fork.force();
        fork.until("destroyed/destroyed");
        delete(first);
        CONTROL.forgetSnapshots();
        refused();

        delete(second);

        allowed();
        CONTROL.forgetSnapshots();
        assertThat(CONTROL.number("select count(*) from snapshot where gone_at is not null and organization_id ="
                        + " (select organization_id from vm where id = '" + vm.id() + "')"))
                .as("what nobody needs any more is forgotten")
                .isZero();
    }

    @Test
    void oneThatIsNotReadyYetCountsAsWhatItsCopyMayTakeWhichIsMoreThanADisk() {
        driver.hold(vm.driverId()::equals);
        assertThat(vm.snapshot(null).status()).isEqualTo(201);
        refused();

        driver.hold(null);

        allowed();
    }

    @Test
    void whatOtherAccountsHaveIsNotLookedAt() throws Exception {
        String id = ready(vm, ALL);
        delete(id);
        Api other = CONTROL.newAccount();
        Sandbox theirs = Sandbox.ready(other, "a");
        String of = theirs.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(other, of, "ready");

        CONTROL.execute("update snapshot set source_snapshot_id = '" + id + "' where id = '" + of
                + "'"); // as never happens: it tells from where the count begins

        allowed();
    }
}
