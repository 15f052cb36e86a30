package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.sallyport.testsupport.Ports;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is wanted of VMs becomes true, whatever the driver does. */
@Timeout(120)
class VmReconcilerTest {

    private static final String PORTS = "ssh: {ports: 10000-32767}";

    private TestControl control;
    private Api api;

    private void start(String yaml) {
        control = TestControl.with(yaml);
        api = control.newAccount();
    }

    private FakeDriver with(String more) {
        start(TestControl.NO_LIMITS + "  sandboxes: {driver: fake, " + PORTS + (more.isEmpty() ? "" : ", " + more)
                + "}\n");
        return control.sandboxes();
    }

    @AfterEach
    void end() {
        control.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static Map<VmId, Observed> seen(FakeDriver driver) {
        try {
            return driver.observeAll();
        } catch (VmException e) {
            throw new AssertionError(e);
        }
    }

    private static VmException problem(Reason reason) {
        return new VmException(reason, "the disk is full");
    }

    @Test
    void withoutADriverWhatNeedsOneIs503WithTheReason() {
        start(TestControl.NO_LIMITS + "  sandboxes: {driver: none}\n");

        Api.Reply reply = api.post(Sandbox.PATH, Sandbox.body("a"));

        assertThat(reply.error()).isEqualTo("503 sandboxes_unavailable");
        assertThat(reply.json().at("/error/message").asText()).isEqualTo("sandboxes are switched off (driver none)");
        assertThat(api.post(Sandbox.PATH, "{}").error()).isEqualTo("422 validation_error");
        assertThat(api.get(Sandbox.PATH).data()).isEmpty();
    }

    @Test
    void byDefaultThereAreNoneWithoutSandboxd() {
        start("");

        assertThat(api.post(Sandbox.PATH, Sandbox.body("a")).error()).isEqualTo("503 sandboxes_unavailable");
    }

    @Test
    @Tag("long")
    void whileTheDriverIsAwayNothingIsMadeOrStartedButStopsAndEndsAreTaken() throws Exception {
        FakeDriver driver = with("");
        Sandbox stopped = Sandbox.stopped(api, "stopped");
        Sandbox running = Sandbox.ready(api, "running");
        Sandbox doomed = Sandbox.ready(api, "doomed");

        driver.miss("sandboxd is away");

        Thread.sleep(2_500); // longer than between two looks
        assertThat(stopped.start().error()).isEqualTo("503 sandboxes_unavailable");
        assertThat(api.post(Sandbox.PATH, Sandbox.body("b")).error()).isEqualTo("503 sandboxes_unavailable");
        assertThat(running.stop().status()).isEqualTo(200);
        assertThat(doomed.force().status()).isEqualTo(204);
        soon().untilAsserted(() -> assertThat(doomed.messages()).contains("sandboxd is away; it is tried again"));

        driver.miss(null);

        running.until("stopped/stopped");
        doomed.until("destroyed/destroyed");
        soon().untilAsserted(() -> assertThat(stopped.start().status()).isEqualTo(200));
        stopped.until("running/ready");
    }

    @Test
    void whatIsPendingCanNeitherBeStartedNorStoppedNorDeleted() {
        FakeDriver driver = with("");
        driver.hold(all -> true);
        Sandbox vm = Sandbox.asked(api, "a");

        assertThat(vm.start().error()).isEqualTo("409 vm_not_stopped");
        assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
        assertThat(vm.delete().error()).isEqualTo("409 vm_not_stopped");
        assertThat(api.get(vm.path() + "/ssh").error()).isEqualTo("409 vm_not_running");
        assertThat(api.get(vm.path() + "/ssh/host-keys").error()).isEqualTo("409 vm_not_running");
        driver.hold(null);
        vm.until("running/ready");
        assertThat(driver.spec(vm.driverId())).isPresent();
    }

    @Test
    void whileAllPlacesAreTakenTheOthersAreQueued() {
        FakeDriver driver = with("creations: 1");
        Set<VmId> begun = ConcurrentHashMap.newKeySet();
        driver.hold(id -> {
            begun.add(id);
            return true;
        });
        Sandbox first = Sandbox.asked(api, "first");
        soon().untilAsserted(() -> assertThat(begun).containsExactly(first.driverId()));
        List<Sandbox> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(Sandbox.asked(api, "n" + i));
        }
        others.forEach(vm -> vm.until("pending/queued"));

        driver.hold(null);

        first.until("running/ready");
        others.forEach(vm -> vm.until("running/ready"));
        assertThat(others)
                .allSatisfy(vm -> assertThat(
                                vm.events().stream().map(Sandbox::state).toList())
                        .containsExactly(
                                "pending/creating",
                                "pending/queued",
                                "pending/creating",
                                "pending/starting",
                                "running/running",
                                "running/ready"));
    }

    @ParameterizedTest
    @EnumSource(
            value = FakeDriver.Step.class,
            names = {"CREATE", "START"})
    void anErrorOfTheDriverFailsTheVmWithItsMessage(FakeDriver.Step step) {
        FakeDriver driver = with("");
        driver.failNext(step, problem(Reason.FAILED));

        Sandbox vm = Sandbox.asked(api, "a").until("failed/failed");

        assertThat(vm.messages()).contains("the disk is full");
        assertThat(vm.start().error()).isEqualTo("409 vm_not_stopped");
        assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
        assertThat(vm.delete().status()).isEqualTo(204);
        vm.until("destroyed/destroyed");
        assertThat(seen(driver)).isEmpty();
        assertThat(api.post(Sandbox.PATH, Sandbox.body("a")).status()).isEqualTo(201);
    }

    @Test
    void anImageThatIsNotThereFailsTheVm() {
        with("image: other");

        Sandbox vm = Sandbox.asked(api, "a").until("failed/failed");

        assertThat(vm.messages()).contains("there is no image other (expected: debian-12)");
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"UNAVAILABLE", "EXHAUSTED"})
    void whatMayPassIsTriedAgain(Reason reason) {
        FakeDriver driver = with("");
        driver.failNext(FakeDriver.Step.CREATE, problem(reason));
        driver.failNext(FakeDriver.Step.START, problem(reason));

        Sandbox vm = Sandbox.asked(api, "a").until("running/ready");

        assertThat(vm.messages())
                .as("each problem is told once, and another one after some progress again")
                .containsSequence(
                        "the disk is full; it is tried again",
                        "it is made, and boots",
                        "the disk is full; it is tried again",
                        "the guest runs");
    }

    @Test
    void withoutSshWithinTheTimeOfABootItFails() {
        FakeDriver driver = with("");
        Sandbox vm = Sandbox.stopped(api, "a");
        driver.silence(vm.driverId());
        vm.start();
        soon().untilAsserted(() -> assertThat(vm.messages().getLast()).isEqualTo("the guest runs"));
        assertThat(vm.state()).isEqualTo("running/running");

        control.clock().advance(Duration.ofSeconds(61));

        vm.until("failed/failed");
        assertThat(vm.messages()).contains("no SSH within 60 s");
        soon().untilAsserted(() -> assertThat(driver.observe(vm.driverId())).isInstanceOf(Observed.Stopped.class));
    }

    @Test
    void aVmThatIsReadyIsNotGivenUpBecauseTheDriverIsAway() throws Exception {
        FakeDriver driver = with("");
        Sandbox vm = Sandbox.ready(api, "a");
        driver.miss("sandboxd is away");
        control.execute(
                "insert into vm_job (vm_id, due_at, attempts) values ('" + vm.id() + "', 0, 0)"); // as a start does
        soon().untilAsserted(() -> assertThat(vm.messages()).contains("sandboxd is away; it is tried again"));

        for (int i = 0; i < 3; i++) {
            control.clock().advance(Duration.ofSeconds(61));
            Thread.sleep(300); // for an attempt
        }

        assertThat(vm.state()).isEqualTo("running/ready");
        driver.miss(null);
        assertThat(vm.stop().status()).isEqualTo(200);
        vm.until("stopped/stopped");
    }

    @Test
    void aGuestThatEndsByItselfIsStoppedAndCanBeStarted() throws Exception {
        FakeDriver driver = with("");
        Sandbox vm = Sandbox.ready(api, "a");

        driver.end(vm.driverId());

        vm.until("stopped/stopped");
        assertThat(vm.messages()).contains("the guest ended by itself");
        vm.start();
        vm.until("running/ready");
    }

    @Test
    void aVmThatSomebodyHasRemovedFails() throws Exception {
        FakeDriver driver = with("");
        Sandbox running = Sandbox.ready(api, "a");
        Sandbox stopped = Sandbox.stopped(api, "b");

        driver.lose(running.driverId());
        driver.lose(stopped.driverId());

        running.until("failed/failed");
        stopped.until("failed/failed");
        assertThat(running.delete().status()).isEqualTo(204);
        running.until("destroyed/destroyed");
    }

    @Test
    void aStoppedGuestThatRunsAllTheSameIsStoppedAgain() throws Exception {
        FakeDriver driver = with("");
        Sandbox vm = Sandbox.stopped(api, "a");

        driver.start(vm.driverId());

        soon().untilAsserted(() -> assertThat(driver.observe(vm.driverId())).isInstanceOf(Observed.Stopped.class));
        assertThat(vm.state()).isEqualTo("stopped/stopped");
    }

    @Test
    @Tag("long")
    void whatNobodyWantsIsDestroyed() throws Exception {
        FakeDriver driver = with("");
        VmId stranger = new VmId("vm_" + "z".repeat(26));
        driver.create(stranger, spec(77));
        Sandbox vm = Sandbox.ready(api, "a");

        soon().untilAsserted(() -> assertThat(driver.observe(stranger)).isInstanceOf(Observed.Absent.class));
        assertThat(vm.state()).isEqualTo("running/ready");
    }

    private static VmSpec spec(int last) throws Exception {
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease((Inet4Address) InetAddress.getByAddress(new byte[] {10, 77, 1, (byte) last})),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA", Map.of()));
    }

    @Test
    void anEndThatFailsIsTriedAgainAndEatsNoQuota() {
        FakeDriver driver = with("limits: {per_account: 1}");
        Sandbox vm = Sandbox.ready(api, "a");
        driver.failNext(FakeDriver.Step.DESTROY, problem(Reason.FAILED));

        assertThat(vm.force().status()).isEqualTo(204);

        Sandbox.ready(api, "a");
        vm.until("destroyed/destroyed");
        assertThat(vm.messages()).contains("the disk is full; it is tried again");
    }

    @Test
    void aForcedEndOvertakesACreationThatTakesLong() {
        FakeDriver driver = with("settings: {pause_millis: \"300\"}");
        Sandbox vm = Sandbox.asked(api, "a");

        assertThat(vm.force().status()).isEqualTo(204);

        vm.until("destroyed/destroyed");
        assertThat(vm.states())
                .as("what it was made for is not written over what is wanted")
                .endsWith("destroyed/destroying", "destroyed/destroyed");
        assertThat(driver.spec(vm.driverId())).isEmpty();
    }

    @Test
    void aVmThatNobodyIsLoggedInToIsStoppedWhenTheOperatorWantsThat() throws Exception {
        with("limits: {idle_stop: 10m}");
        Sandbox idle = Sandbox.ready(api, "idle");
        Sandbox used = Sandbox.ready(api, "used");
        JsonNode ssh = api.get(used.path() + "/ssh").json();
        try (SshClient client = SshClient.to(ssh.path("port").asInt())) {
            client.readBanner();

            control.clock().advance(Duration.ofMinutes(11));

            idle.until("stopped/stopped");
            assertThat(idle.messages()).contains("nobody was logged in for 600 s");
            assertThat(used.state()).isEqualTo("running/ready");
        }
    }

    @Test
    void aVmEndsWithItsTimeToLiveWhenTheOperatorWantsThat() {
        FakeDriver driver = with("limits: {time_to_live: 1h}");
        Sandbox running = Sandbox.ready(api, "running");
        Sandbox stopped = Sandbox.stopped(api, "stopped");

        control.clock().advance(Duration.ofMinutes(61));

        running.until("destroyed/destroyed");
        stopped.until("destroyed/destroyed");
        assertThat(running.messages()).contains("its time to live, 3600 s, is over");
        assertThat(seen(driver)).isEmpty();
    }

    @Test
    @Tag("long")
    void byDefaultTimeEndsNothing() throws Exception {
        with("");
        Sandbox vm = Sandbox.ready(api, "a");

        control.clock().advance(Duration.ofDays(30));

        Thread.sleep(2_500); // longer than between two looks
        assertThat(vm.state()).isEqualTo("running/ready");
    }

    @Test
    void aPortThatAnotherProgramHasIsLeftToIt() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            start(TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: " + port + "-" + (port + 3)
                    + "}}\n");

            Sandbox vm = Sandbox.ready(api, "a");

            assertThat(api.get(vm.path() + "/ssh").json().path("port").asInt()).isGreaterThan(port);
        }
    }

    @Test
    void anAddressOfNoMachineToLogInAtFailsTheVmWithThat() {
        start(TestControl.NO_LIMITS
                + "  sandboxes: {driver: fake, boot_timeout: 1s, ssh: {listen: 192.0.2.1, ports: 10000-32767}}\n");

        Sandbox vm = Sandbox.asked(api, "a").until("failed/failed");

        assertThat(vm.messages().getLast()).startsWith("SSH port 192.0.2.1:").contains("cannot be listened at");
    }

    @Test
    void whenAllPortsAreTakenIt503sUntilOneIsGivenBack() throws Exception {
        int port = Ports.unused();
        start(TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: " + port + "-" + port + "}}\n");
        Sandbox vm = Sandbox.ready(api, "a");

        assertThat(api.post(Sandbox.PATH, Sandbox.body("b")).error()).isEqualTo("503 sandboxes_unavailable");

        vm.force();
        vm.until("destroyed/destroyed");
        Sandbox.ready(api, "b");
    }
}
