package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.testsupport.Patience;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is wrong with a driver, with a VM, or with its neighbours harms no other VM, and no guest that runs. */
@Timeout(120)
class VmFaultsTest {

    private static final VmId STRANGER = new VmId("vm_" + "z".repeat(26));

    private TestControl control = with("");
    private Api api = control.newAccount();

    private static TestControl with(String more) {
        return TestControl.with(TestControl.NO_LIMITS + "  sandboxes: {driver: fake"
                + (more.contains("ports:") ? "" : ", ssh: {ports: 10000-32767}") + more + "}\n");
    }

    /** Another control plane. */
    private FakeDriver begin(String more) {
        control.close();
        control = with(more);
        api = control.newAccount();
        return control.sandboxes();
    }

    @AfterEach
    void end() {
        control.close();
    }

    @Tag("long")
    @Test
    void whoseGuestsRunIsToldThatTheDiskIsFullOnceInAnHour() {
        Sandbox running = Sandbox.ready(api, "running");
        Sandbox stopped = Sandbox.stopped(api, "stopped");

        control.sandboxes().fill(true);
        await().atMost(Patience.usual()).until(() -> full(running) == 1);
        Sandbox late = Sandbox.ready(api, "late");
        await().atMost(Patience.usual()).until(() -> full(late) == 1);

        assertThat(full(running)).isEqualTo(1);
        assertThat(full(stopped)).isZero();
        assertThat(running.state()).isEqualTo("running/ready");
        control.clock().advance(Duration.ofMinutes(61));
        await().atMost(Patience.usual()).until(() -> full(running) == 2);
    }

    private static long full(Sandbox vm) {
        return vm.messages().stream()
                .filter(message -> message.startsWith("the disk of the machine is full"))
                .count();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static VmException problem(Reason reason) {
        return new VmException(reason, "the disk is full");
    }

    private static VmSpec spec(int last) throws Exception {
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease((Inet4Address) InetAddress.getByAddress(new byte[] {10, 77, 0, (byte) last})),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA", Map.of()));
    }

    @Test
    void oneThatWaitsForAPlaceCanBeDestroyedAtOnce() {
        FakeDriver driver = begin(", creations: 1");
        driver.hold(all -> true);
        Sandbox.asked(api, "first");
        Sandbox second = Sandbox.asked(api, "second");
        soon().untilAsserted(() -> assertThat(api.get(Sandbox.PATH).data().findValuesAsText("status_detail"))
                .contains("queued"));
        Sandbox third = Sandbox.asked(api, "third");
        driver.hold(held -> !held.equals(second.driverId()) && !held.equals(third.driverId()));

        assertThat(second.force().status()).isEqualTo(204);
        assertThat(third.force().status()).isEqualTo(204);

        second.until("destroyed/destroyed");
        third.until("destroyed/destroyed");
        driver.hold(null);
        Sandbox.ready(api, "fourth");
    }

    @Test
    void oneAccountThatKeepsTheDriverBusyStopsNoOther() {
        FakeDriver driver = begin(", creations: 16");
        List<Sandbox> many = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            many.add(Sandbox.asked(api, "n" + i));
        }
        many.forEach(vm -> vm.until("running/ready"));
        Set<VmId> held = new HashSet<>();
        many.forEach(vm -> held.add(vm.driverId()));
        driver.hold(held::contains);
        many.forEach(Sandbox::stop);

        Sandbox other = Sandbox.ready(control.newAccount(), "other");
        other.stop();

        other.until("stopped/stopped");
        assertThat(many).allSatisfy(vm -> assertThat(vm.state()).isEqualTo("stopped/stopping"));
        driver.hold(null);
        many.forEach(vm -> vm.until("stopped/stopped"));
    }

    @Test
    void aGuestThatEndsAsSoonAsItIsStartedIsStoppedAndNotStartedAgain() {
        FakeDriver driver = control.sandboxes();
        Sandbox vm = Sandbox.stopped(api, "a");
        int before = driver.starts(vm.driverId());
        driver.endAtOnce(vm.driverId());

        vm.start();

        vm.until("stopped/stopped");
        assertThat(vm.messages().getLast()).isEqualTo("the guest ended by itself");
        assertThat(driver.starts(vm.driverId())).isEqualTo(before + 1);
    }

    @Test
    @Tag("long")
    void anAddressThatAnotherVmStillHasIsWaitedFor() throws Exception {
        FakeDriver driver = control.sandboxes();
        driver.create(STRANGER, spec(2)); // nobody wants it, so it is destroyed soon

        Sandbox vm = Sandbox.asked(api, "a");

        soon().untilAsserted(() ->
                assertThat(vm.messages()).contains("10.77.0.2 is the address of another VM; it is tried again"));
        vm.until("running/ready");
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"UNAVAILABLE", "EXHAUSTED"})
    void whatDoesNotPassWithinTheTimeOfABootFailsOneThatIsNotMade(Reason reason) {
        FakeDriver driver = control.sandboxes();
        driver.failAlways(FakeDriver.Step.CREATE, problem(reason));
        Sandbox vm = Sandbox.asked(api, "a");
        soon().untilAsserted(() -> assertThat(vm.messages()).contains("the disk is full; it is tried again"));

        control.clock().advance(Duration.ofSeconds(61));

        vm.until("failed/failed");
        assertThat(vm.messages()).contains("the disk is full");
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"UNAVAILABLE", "EXHAUSTED"})
    void oneThatIsMadeIsTriedForAsLongAsItTakes(Reason reason) {
        FakeDriver driver = control.sandboxes();
        Sandbox vm = Sandbox.stopped(api, "a");
        driver.failAlways(FakeDriver.Step.START, problem(reason));
        vm.start();
        soon().untilAsserted(() -> assertThat(vm.messages()).contains("the disk is full; it is tried again"));

        for (int i = 0; i < 3; i++) {
            control.clock().advance(Duration.ofSeconds(61));
            await().during(Duration.ofMillis(1_200)) // it is looked at once a second at least
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> vm.state().equals("running/running"));
        }
        driver.failAlways(FakeDriver.Step.START, null);
        control.clock().advance(Duration.ofSeconds(61));

        vm.until("running/ready");
    }

    @Test
    @Tag("long")
    void aDriverThatCannotSeeWhatRunsHarmsNoGuest() throws Exception {
        FakeDriver driver = begin(", limits: {time_to_live: 1h}");
        Sandbox vm = Sandbox.ready(api, "a");
        driver.failAlways(FakeDriver.Step.OBSERVE_ALL, problem(Reason.FAILED));
        Thread.sleep(2_500); // longer than between two looks
        assertThat(vm.state()).isEqualTo("running/ready");

        control.clock().advance(Duration.ofMinutes(61));

        vm.until("destroyed/destroyed"); // the operator's limits hold all the same
    }

    @Test
    @Tag("long")
    void aStrangerThatCannotBeDestroyedIsTriedAgain() throws Exception {
        FakeDriver driver = begin(", limits: {idle_stop: 10m}");
        driver.create(STRANGER, spec(200));
        driver.failAlways(FakeDriver.Step.DESTROY, problem(Reason.FAILED));
        Sandbox vm = Sandbox.ready(api, "a");
        Thread.sleep(4_500); // until it was tried

        control.clock().advance(Duration.ofMinutes(11));

        vm.until("stopped/stopped"); // the operator's limits hold all the same
        driver.failAlways(FakeDriver.Step.DESTROY, null);
        soon().untilAsserted(() -> assertThat(driver.observe(STRANGER)).isInstanceOf(Observed.Absent.class));
    }

    @Test
    void aStoppedVmThatIsDamagedFails() {
        FakeDriver driver = control.sandboxes();
        Sandbox vm = Sandbox.stopped(api, "a");

        driver.damage(vm.driverId(), "its files are damaged");

        vm.until("failed/failed");
        assertThat(vm.messages()).contains("its files are damaged");
    }

    @Test
    void anEndWaitsForAStopThatWasAskedForBefore() throws Exception {
        FakeDriver driver = control.sandboxes();
        Sandbox vm = Sandbox.ready(api, "a");
        driver.hold(all -> true);
        vm.stop();

        assertThat(vm.delete().status()).isEqualTo(204);
        driver.hold(null);

        vm.until("destroyed/destroyed");
        assertThat(vm.messages())
                .containsSubsequence(
                        "its stop was asked for",
                        "its end was asked for",
                        "the guest has ended",
                        "nothing of it is left");
    }

    @Test
    void aForcedEndWaitsForNoStop() throws Exception {
        FakeDriver driver = control.sandboxes();
        Sandbox vm = Sandbox.ready(api, "a");
        driver.failAlways(FakeDriver.Step.STOP, problem(Reason.UNAVAILABLE));
        vm.stop();
        assertThat(vm.delete().status()).isEqualTo(204);
        soon().untilAsserted(() -> assertThat(vm.messages()).contains("the disk is full; it is tried again"));
        assertThat(vm.state()).isEqualTo("destroyed/destroying");

        assertThat(vm.force().status()).isEqualTo(204);

        vm.until("destroyed/destroyed");
        assertThat(vm.messages()).doesNotContain("the guest has ended");
    }

    @Test
    void thoseThatCannotBeDestroyedAreBoundedBecauseTheyHaveAddresses() {
        FakeDriver driver = begin(", limits: {per_account: 1}");
        driver.failAlways(FakeDriver.Step.DESTROY, problem(Reason.FAILED));
        Sandbox first = Sandbox.ready(api, "a");
        first.force();
        Sandbox second = Sandbox.ready(api, "a");
        second.force();

        assertThat(api.post(Sandbox.PATH, Sandbox.body("a")).error()).isEqualTo("409 quota_exceeded");

        driver.failAlways(FakeDriver.Step.DESTROY, null);
        control.clock().advance(Duration.ofSeconds(31));
        first.until("destroyed/destroyed");
        second.until("destroyed/destroyed");
        Sandbox.ready(api, "a");
    }

    @Test
    void whenOtherProgramsHaveAllPortsTheEventsSaySo() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            begin(", ssh: {ports: " + port + "-" + port + "}");

            Sandbox vm = Sandbox.asked(api, "a");

            soon().untilAsserted(
                            () -> assertThat(vm.messages()).contains("all 1 SSH ports are taken; it is tried again"));
        }
        await().atMost(Patience.seconds(40))
                .until(() -> api.get(Sandbox.PATH)
                        .data()
                        .findValuesAsText("status_detail")
                        .contains("ready"));
    }

    @Test
    void anSshAddressOfAnotherMachineFailsVmsWithTheReason() {
        begin(", ssh: {listen: 192.0.2.1, ports: 10000-32767}");
        Sandbox vm = Sandbox.asked(api, "a");
        soon().untilAsserted(() -> assertThat(vm.messages().getLast())
                .contains("192.0.2.1:", "cannot be listened at", "it is tried again"));

        control.clock().advance(Duration.ofSeconds(61));

        vm.until("failed/failed");
    }
}
