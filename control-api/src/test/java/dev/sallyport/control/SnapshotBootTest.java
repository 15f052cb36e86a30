package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of VMs that boot, which stand still meanwhile. */
class SnapshotBootTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    private static final Duration BOOT = Duration.ofSeconds(61);

    private final FakeDriver driver = CONTROL.sandboxes();
    private Api api;
    private Sandbox vm;
    private String snapshot;

    @BeforeEach
    void askForASnapshotOfAVmThatBootsAndLetItWait() {
        api = CONTROL.newAccount();
        vm = Sandbox.stopped(api, "a");
        driver.silence(vm.driverId());
        vm.start();
        soon().untilAsserted(() -> assertThat(vm.messages()).last().isEqualTo("the guest runs"));
        driver.hold(vm.driverId()::equals);
        Api.Reply reply = vm.snapshot(null);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        snapshot = reply.data().path("id").asText();
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

    private void staysAsItIs() {
        await().during(Duration.ofMillis(1_500)) // some looks at it
                .atMost(Patience.usual())
                .until(() -> vm.state().equals("running/running"));
    }

    private void fails() {
        vm.until("failed/failed");
        assertThat(vm.messages()).contains("no SSH within 60 s");
    }

    @Test
    @Tag("long")
    void theTimeOfABootDoesNotPassWhileASnapshotIsPendingAndBeginsAnewWhenTheCopyIsTaken() {
        CONTROL.clock().advance(BOOT);
        staysAsItIs();

        driver.hold(null);

        Sandbox.awaitSnapshot(api, snapshot, "ready");
        staysAsItIs();
        CONTROL.clock().advance(BOOT);
        fails();
    }

    @Test
    void itBeginsAnewWhenTheCopyCannotBeTaken() {
        CONTROL.clock().advance(BOOT);
        driver.failNext(Step.CAPTURE, new VmException(Reason.FAILED, "the disk is broken"));

        driver.hold(null);

        Sandbox.awaitSnapshot(api, snapshot, "failed");
        staysAsItIs();
        CONTROL.clock().advance(BOOT);
        fails();
    }

    @Test
    @Tag("long")
    void itPassesNeitherWhenTheSnapshotIsDeletedAndTheVmStillStandsStill() {
        assertThat(api.delete("/v1/snapshots/" + snapshot).status()).isEqualTo(204);
        CONTROL.clock().advance(BOOT);
        staysAsItIs();

        driver.hold(null);

        soon().untilAsserted(() -> assertThat(CONTROL.number(
                        "select count(*) from snapshot where gone_at is null and id = '" + snapshot + "'"))
                .isZero());
        staysAsItIs();
        CONTROL.clock().advance(BOOT);
        fails();
    }
}
