package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of which the driver and the database say different things, and those of many accounts at once. */
class SnapshotSweepTest {

    @TempDir
    static Path guests;

    private static TestControl control;
    private static FakeDriver driver;

    @BeforeAll
    static void open() {
        control = TestControl.with(TestControl.NO_LIMITS + "  sandboxes: {driver: fake, settings: {dir: \"" + guests
                + "\"}, ssh: {ports: 10000-32767}}\n");
        driver = control.sandboxes();
    }

    @AfterEach
    void letGo() {
        driver.hold(null);
        driver.failAlways(Step.SEAL, null);
    }

    @AfterAll
    static void end() {
        control.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static Set<SnapshotId> held() {
        try {
            return driver.snapshots();
        } catch (VmException e) {
            throw new AssertionError(e);
        }
    }

    private static String asked(Sandbox vm) {
        Api.Reply reply = vm.snapshot(null);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.data().path("id").asText();
    }

    @Test
    @Tag("long")
    void oneThatCannotBeDiscardedHoldsUpNoOther() throws Exception {
        Sandbox vm = Sandbox.ready(control.newAccount(), "a");
        SnapshotId stubborn = new SnapshotId("snap_" + "0".repeat(26));
        SnapshotId stranger = new SnapshotId("snap_" + "z".repeat(26));
        driver.capture(stubborn, vm.driverId());
        Path file = guests.resolve(stubborn + ".snapshot");
        Files.delete(file);
        Path obstacle =
                Files.createDirectories(file.resolve("obstacle")); // nobody deletes a folder with something in it
        driver.capture(stranger, vm.driverId());

        soon().untilAsserted(() -> assertThat(held()).contains(stubborn).doesNotContain(stranger));
        SnapshotId later = new SnapshotId("snap_" + "y".repeat(26));
        driver.capture(later, vm.driverId());
        soon().untilAsserted(() -> assertThat(held()).contains(stubborn).doesNotContain(later));

        Files.delete(obstacle);
        soon().untilAsserted(() -> assertThat(held()).doesNotContain(stubborn));
    }

    @Tag("long")
    @Test
    void oneThatWasReadyAndIsThereAgainIsReadyAgainAndNeverDiscarded() throws Exception {
        Api api = control.newAccount();
        Sandbox vm = Sandbox.ready(api, "a");
        String id = asked(vm);
        JsonNode before = Sandbox.awaitSnapshot(api, id, "ready");
        SnapshotId snapshot = new SnapshotId(id);
        driver.discard(snapshot); // as where the disk is not mounted
        Sandbox.awaitSnapshot(api, id, "failed");

        driver.capture(snapshot, vm.driverId());
        driver.seal(snapshot);

        assertThat(Sandbox.awaitSnapshot(api, id, "ready")).isEqualTo(before);
        assertThat(vm.messages())
                .containsSubsequence(
                        "snapshot " + id + " failed: nothing is left of it: somebody else has removed it",
                        "snapshot " + id + " is there again, and ready");
        await().during(Duration.ofSeconds(5)).atMost(Patience.usual()).until(() -> held().contains(snapshot));
        Sandbox.fork(api, "fork", id);
    }

    @Tag("long")
    @Test
    void oneThatIsThereAgainIsReadyOnlyWhenTheDriverSaysSo() throws Exception {
        Api api = control.newAccount();
        Sandbox vm = Sandbox.ready(api, "a");
        String id = asked(vm);
        Sandbox.awaitSnapshot(api, id, "ready");
        SnapshotId snapshot = new SnapshotId(id);
        driver.failAlways(Step.SEAL, new VmException(Reason.SNAPSHOT_NOT_FOUND, "its archive is missing"));
        driver.discard(snapshot);
        Sandbox.awaitSnapshot(api, id, "failed");

        driver.capture(snapshot, vm.driverId()); // something of this name

        await().during(Duration.ofSeconds(5)) // longer than between two looks
                .atMost(Patience.usual())
                .until(() -> held().contains(snapshot)
                        && api.get("/v1/snapshots/" + id)
                                .data()
                                .path("status")
                                .asText()
                                .equals("failed"));
        driver.failAlways(Step.SEAL, null);
        Sandbox.awaitSnapshot(api, id, "ready");
        assertThat(vm.messages()).containsOnlyOnce("snapshot " + id + " is there again, and ready");
        Sandbox.fork(api, "fork", id);
    }

    @Test
    void copiesThatAreBeingStoredHoldUpNeitherCopiesNorDeletionsOfOthers() {
        driver.failAlways(Step.SEAL, new VmException(Reason.UNAVAILABLE, "not yet"));
        List<VmId> slow = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Api api = control.newAccount();
            Sandbox vm = Sandbox.ready(api, "a");
            slow.add(vm.driverId());
            for (int j = 0; j < 2; j++) {
                Sandbox.awaitSnapshot(api, asked(vm), "uploading");
            }
        }
        Set<VmId> sealing = ConcurrentHashMap.newKeySet();
        driver.hold(vm -> {
            boolean isSlow = slow.contains(vm);
            if (isSlow) {
                sealing.add(vm);
            }
            return isSlow;
        });
        driver.failAlways(Step.SEAL, null);
        soon().untilAsserted(() -> assertThat(sealing).hasSize(2));

        Api api = control.newAccount();
        Sandbox vm = Sandbox.ready(api, "a");
        String id = asked(vm);
        Sandbox.awaitSnapshot(api, id, "ready");
        assertThat(api.delete("/v1/snapshots/" + id).status()).isEqualTo(204);

        soon().untilAsserted(() -> assertThat(held()).doesNotContain(new SnapshotId(id)));
    }

    @Tag("long")
    @Test
    void anAccountWithOneSnapshotDoesNotWaitUntilThoseOfOthersAreAllStored() throws Exception {
        driver.failAlways(Step.SEAL, new VmException(Reason.UNAVAILABLE, "not yet"));
        List<VmId> busy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Api api = control.newAccount();
            Sandbox vm = Sandbox.ready(api, "a");
            busy.add(vm.driverId());
            for (int j = 0; j < 10; j++) {
                Sandbox.awaitSnapshot(api, asked(vm), "uploading");
            }
        }
        Set<VmId> sealing = ConcurrentHashMap.newKeySet();
        driver.hold(vm -> {
            boolean isBusy = busy.contains(vm);
            if (isBusy) {
                sealing.add(vm);
            }
            return isBusy;
        });
        driver.failAlways(Step.SEAL, null);
        control.execute("update snapshot set due_at = 1 where status = 'uploading' and vm_id in " + list(busy));
        soon().untilAsserted(() -> assertThat(sealing).hasSize(4));
        Api api = control.newAccount();
        Sandbox vm = Sandbox.ready(api, "a");
        String id = asked(vm);
        Sandbox.awaitSnapshot(api, id, "uploading");

        driver.hold(null);

        Sandbox.awaitSnapshot(api, id, "ready");
        assertThat(control.number("select count(*) from vm_event where vm_id in " + list(busy)
                        + " and message like '% is ready' and id < (select id from vm_event where message = 'snapshot "
                        + id + " is ready')"))
                .as("those of others that were stored before")
                .isLessThan(20);
    }

    private static String list(List<VmId> vms) {
        return vms.stream().map(vm -> "'" + vm + "'").collect(Collectors.joining(", ", "(", ")"));
    }
}
