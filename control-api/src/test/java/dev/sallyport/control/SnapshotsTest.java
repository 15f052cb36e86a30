package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code /v1/snapshots}, and VMs that are made from them; docs/spec/resource-api.md, section "Snapshots", and
 * docs/spec/decisions.md, section 15a.
 */
class SnapshotsTest {

    private static final TestControl CONTROL = TestControl.with(
            TestControl.NO_LIMITS
                    + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}, boot_timeout: 2s, limits: {snapshots_per_account: 3}}\n");

    private static final String PATH = "/v1/snapshots";

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
        driver.miss(null);
        driver.failAlways(Step.CREATE, null);
        driver.failAlways(Step.CAPTURE, null);
        driver.failAlways(Step.SEAL, null);
        driver.failAlways(Step.DISCARD, null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static String id(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.data().path("id").asText();
    }

    private String ready() {
        String id = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, id, "ready");
        return id;
    }

    private String status(String id) {
        return api.get(PATH + "/" + id).data().path("status").asText();
    }

    private Set<SnapshotId> held() {
        try {
            return driver.snapshots();
        } catch (VmException e) {
            throw new AssertionError(e);
        }
    }

    private static VmException problem(Reason reason) {
        return new VmException(reason, "the disk is full");
    }

    /** States: pending, uploading, ready, failed. */
    @Test
    void aSnapshotIsPendingUntilItsCopyIsTakenUploadingUntilItIsStoredThenReady() {
        driver.hold(vm.driverId()::equals);
        String id = id(vm.snapshot(null));
        assertThat(status(id)).isEqualTo("pending");
        driver.failAlways(Step.SEAL, problem(Reason.UNAVAILABLE));

        driver.hold(null);
        Sandbox.awaitSnapshot(api, id, "uploading");
        assertThat(api.get(PATH + "/" + id).data().path("size_bytes").isNull()).isTrue();
        driver.failAlways(Step.SEAL, null);
        Sandbox.awaitSnapshot(api, id, "ready");

        assertThat(vm.messages())
                .contains(
                        "snapshot " + id + " was asked for",
                        "snapshot " + id + ": the copy is taken",
                        "snapshot " + id + " is ready");
        assertThat(vm.state()).as("its VM goes on").isEqualTo("running/ready");
    }

    @Test
    void aVmThatRunsAndIsNotReadyYetHasSnapshotsToo() {
        driver.silence(vm.driverId());
        vm.stop();
        vm.until("stopped/stopped");
        vm.start();
        vm.until("running/running");

        Sandbox.awaitSnapshot(api, id(vm.snapshot(null)), "ready");
    }

    @Test
    void aVmThatIsMadeFromASnapshotBeginsAsItWithEverythingElseItsOwn() {
        String id = ready();
        api.put("/v1/env/LATER", "{\"value\": \"v\"}");

        Sandbox fork = Sandbox.fork(api, "fork", id);

        VmSpec spec = driver.spec(fork.driverId()).orElseThrow();
        VmSpec source = driver.spec(vm.driverId()).orElseThrow();
        assertThat(spec.origin()).isEqualTo(new Origin.OfSnapshot(new SnapshotId(id)));
        assertThat(spec.network()).isNotEqualTo(source.network());
        assertThat(spec.guest().hostname()).isEqualTo("fork");
        assertThat(spec.guest().environment()).containsOnlyKeys("LATER");
        assertThat(api.get(fork.path() + "/ssh").json().path("port"))
                .isNotEqualTo(api.get(vm.path() + "/ssh").json().path("port"));
    }

    @Test
    @Tag("long")
    void aVmWaitsForAsLongAsTheDriverMakesItsSnapshotReady() {
        String id = ready();
        driver.failAlways(Step.CREATE, new VmException(Reason.PREPARING, "its layers are being read"));
        Sandbox fork = Sandbox.of(
                api,
                api.post(Sandbox.PATH, Sandbox.forkBody("fork", id))
                        .json()
                        .path("id")
                        .asText());
        await().during(Duration.ofSeconds(6)) // three times boot_timeout
                .atMost(Patience.usual())
                .until(() -> fork.state().equals("pending/creating"));

        driver.failAlways(Step.CREATE, null);

        fork.until("running/ready");
        assertThat(fork.messages()).containsOnlyOnce("its layers are being read");
    }

    @Test
    void aVmCannotBeMadeFromASnapshotThatIsNotReady() {
        driver.hold(vm.driverId()::equals);
        String pending = id(vm.snapshot(null));
        driver.failNext(Step.CAPTURE, problem(Reason.FAILED));

        assertThat(api.post(Sandbox.PATH, Sandbox.forkBody("b", pending)).error())
                .isEqualTo("409 snapshot_not_ready");
        driver.hold(null);
        Sandbox.awaitSnapshot(api, pending, "failed");
        assertThat(api.post(Sandbox.PATH, Sandbox.forkBody("b", pending)).error())
                .isEqualTo("409 snapshot_not_ready");
    }

    @Test
    void anotherAccountsSnapshotIsUnknown() {
        String id = ready();
        Api stranger = CONTROL.newAccount();

        assertThat(stranger.post(Sandbox.PATH, Sandbox.forkBody("b", id)).error())
                .isEqualTo("404 snapshot_not_found");
        assertThat(stranger.delete(PATH + "/" + id).error()).isEqualTo("404 snapshot_not_found");
        assertThat(status(id)).isEqualTo("ready");
    }

    @Test
    void aDeletedSnapshotIsGoneAtTheDriverTooAndVmsFromItGoOn() {
        String id = ready();
        Sandbox fork = Sandbox.fork(api, "fork", id);

        assertThat(api.delete(PATH + "/" + id).status()).isEqualTo(204);

        assertThat(api.delete(PATH + "/" + id).error()).isEqualTo("404 snapshot_not_found");
        assertThat(api.post(Sandbox.PATH, Sandbox.forkBody("b", id)).error()).isEqualTo("404 snapshot_not_found");
        soon().untilAsserted(() -> assertThat(held()).doesNotContain(new SnapshotId(id)));
        assertThat(fork.state()).isEqualTo("running/ready");
        String child = id(fork.snapshot(null));
        assertThat(api.get(PATH + "/" + child).data().path("source_snapshot_id").asText())
                .as("a deleted source is still the source")
                .isEqualTo(id);
    }

    @Test
    void aSnapshotIsDeletedInAnyState() {
        driver.hold(vm.driverId()::equals);
        String pending = id(vm.snapshot(null));
        assertThat(api.delete(PATH + "/" + pending).status()).isEqualTo(204);
        driver.hold(null);
        driver.failAlways(Step.SEAL, problem(Reason.UNAVAILABLE));
        String uploading = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, uploading, "uploading");
        assertThat(api.delete(PATH + "/" + uploading).status()).isEqualTo(204);
        driver.failAlways(Step.SEAL, null);
        driver.failNext(Step.CAPTURE, problem(Reason.FAILED));
        String failed = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, failed, "failed");
        assertThat(api.delete(PATH + "/" + failed).status()).isEqualTo(204);

        assertThat(api.get(PATH).data()).isEmpty();
        soon().untilAsserted(() -> assertThat(held())
                .doesNotContain(new SnapshotId(pending), new SnapshotId(uploading), new SnapshotId(failed)));
    }

    @Test
    void aVmThatWasAskedForBeforeTheDeletionOfItsSnapshotIsMadeFromIt() {
        String id = ready();
        Set<VmId> begun = ConcurrentHashMap.newKeySet();
        driver.hold(other -> {
            begun.add(other);
            return true;
        });
        Sandbox fork = Sandbox.of(
                api,
                api.post(Sandbox.PATH, Sandbox.forkBody("fork", id))
                        .json()
                        .path("id")
                        .asText());
        soon().untilAsserted(() -> assertThat(begun).contains(fork.driverId()));

        assertThat(api.delete(PATH + "/" + id).status()).isEqualTo(204);
        await().during(Duration.ofMillis(1_500))
                .atMost(Duration.ofSeconds(10))
                .until(() -> held().contains(new SnapshotId(id)));
        driver.hold(null);

        fork.until("running/ready");
        soon().untilAsserted(() -> assertThat(held()).doesNotContain(new SnapshotId(id)));
    }

    @Test
    @Tag("long")
    void whatTheDriverCannotDoFailsTheSnapshotAloneAndTheEventsOfItsVmTellWhy() {
        driver.failNext(Step.CAPTURE, problem(Reason.EXHAUSTED));
        String first = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, first, "failed");
        driver.failNext(Step.SEAL, problem(Reason.FAILED));
        String second = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, second, "failed");

        assertThat(vm.messages())
                .contains(
                        "snapshot " + first + " failed: the disk is full",
                        "snapshot " + second + " failed: the disk is full");
        assertThat(vm.state()).isEqualTo("running/ready");
        assertThat(api.get(PATH + "/" + second).data().path("storage_key").isNull())
                .isTrue();
        soon().untilAsserted(() ->
                assertThat(held()).as("what is left of it is removed").doesNotContain(new SnapshotId(second)));
    }

    @Test
    void aDriverThatIsAwayForAMomentIsTriedAgainAndNotForLongerThanABoot() {
        driver.failNext(Step.CAPTURE, problem(Reason.UNAVAILABLE));
        ready();
        driver.failAlways(Step.CAPTURE, problem(Reason.UNAVAILABLE));

        String late = id(vm.snapshot(null));

        Sandbox.awaitSnapshot(api, late, "failed");
    }

    @Test
    void aCopyThatIsTakenIsStoredAsSoonAsThereIsRoom() {
        driver.failNext(Step.SEAL, problem(Reason.EXHAUSTED));

        ready();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"UNAVAILABLE", "EXHAUSTED"})
    void aCopyThatIsTakenIsNotGivenUpHoweverLongItCannotBeStored(Reason reason) {
        driver.failAlways(Step.SEAL, problem(reason));
        String id = id(vm.snapshot(null));
        Sandbox.awaitSnapshot(api, id, "uploading");

        await().during(Duration.ofSeconds(8)) // four times boot_timeout, with several attempts
                .atMost(Patience.usual())
                .until(() -> status(id).equals("uploading") && held().contains(new SnapshotId(id)));
        driver.failAlways(Step.SEAL, null);

        Sandbox.awaitSnapshot(api, id, "ready");
    }

    @Test
    void aVmThatDoesNotRunAnyMoreWhenItIsToStandStillFailsItsSnapshot() {
        driver.hold(vm.driverId()::equals);
        String id = id(vm.snapshot(null));
        vm.force();
        driver.hold(null);
        vm.until("destroyed/destroyed");

        soon().untilAsserted(() -> assertThat(status(id)).isIn("failed", "ready"));
        assertThat(api.get(vm.path() + "/snapshots").data().findValuesAsText("id"))
                .containsExactly(id);
        assertThat(vm.snapshot(null).error()).isEqualTo("409 vm_not_running");
    }

    @Test
    @Tag("long")
    void aReadySnapshotThatSomebodyHasRemovedIsFailed() throws Exception {
        String id = ready();

        driver.discard(new SnapshotId(id));

        Sandbox.awaitSnapshot(api, id, "failed");
    }

    @Test
    @Tag("long")
    void whatNobodyWantsIsDiscarded() throws Exception {
        SnapshotId stranger = new SnapshotId("snap_" + "z".repeat(26));

        driver.capture(stranger, vm.driverId());

        soon().untilAsserted(() -> assertThat(held()).doesNotContain(stranger));
    }

    @Test
    void anAccountHasAsManyAsTheOperatorAllows() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(ready());
        }
        assertThat(vm.snapshot(null).error()).isEqualTo("409 quota_exceeded");

        api.delete(PATH + "/" + all.getFirst());

        soon().untilAsserted(() -> assertThat(vm.snapshot(null).status()).isEqualTo(201));
    }

    @Test
    @Tag("long")
    void whileTheDriverIsAwayNoneIsTakenAndDeletionsAreWrittenDown() {
        String id = ready();
        driver.miss("sandboxd is away");
        soon().untilAsserted(() -> assertThat(vm.snapshot(null).error()).isEqualTo("503 sandboxes_unavailable"));

        assertThat(api.delete(PATH + "/" + id).status()).isEqualTo(204);
        driver.miss(null);

        soon().untilAsserted(() -> assertThat(held()).doesNotContain(new SnapshotId(id)));
        soon().untilAsserted(() -> assertThat(vm.snapshot(null).status()).isNotEqualTo(503));
    }

    @Test
    void theAdministrativeRecordHasThem() {
        String id = ready();
        api.delete(PATH + "/" + id);

        JsonNode events = api.get("/v1/audit/admin?resource=snapshot").data();
        assertThat(events.findValuesAsText("resource_id")).containsOnly(id);
        assertThat(events.findValuesAsText("action")).containsExactly("delete", "create");
    }
}
