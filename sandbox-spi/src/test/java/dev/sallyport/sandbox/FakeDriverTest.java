package dev.sallyport.sandbox;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.VmException.Reason;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the control plane's tests rely on. */
class FakeDriverTest {

    private static final VmId FIRST = new VmId("vm_" + "a".repeat(26));
    private static final VmId SECOND = new VmId("vm_" + "b".repeat(26));
    private static final SnapshotId SNAPSHOT = new SnapshotId("snap_" + "a".repeat(26));
    private static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA me";

    private final FakeDriver driver = new FakeDriver();

    private static VmSpec spec(int last) throws Exception {
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease((Inet4Address) InetAddress.getByAddress(new byte[] {10, 77, 0, (byte) last})),
                new GuestSetup("guest", KEY, Map.of("TOKEN", "placeholder")));
    }

    @Test
    void aVmWalksThroughItsLife() throws Exception {
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Absent.class);

        driver.create(FIRST, spec(2));
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Stopped.class);
        driver.start(FIRST);
        assertThat(banner(FIRST)).isEqualTo("SSH-2.0-fake_" + FIRST);
        driver.stop(FIRST, Duration.ZERO);
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Stopped.class);
        driver.destroy(FIRST);

        assertThat(driver.observeAll()).isEmpty();
    }

    private String banner(VmId id) throws Exception {
        return banner(driver, id);
    }

    private static String banner(FakeDriver driver, VmId id) throws Exception {
        SshEndpoint ssh = ((Observed.Running) driver.observe(id)).ssh();
        try (Socket socket = new Socket(ssh.host(), ssh.port());
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII))) {
            return in.readLine();
        }
    }

    private static VmSpec fork(int last) throws Exception {
        VmSpec spec = spec(last);
        return new VmSpec(new Origin.OfSnapshot(SNAPSHOT), spec.limits(), spec.network(), spec.guest());
    }

    private static void refused(ThrowableAssert.ThrowingCallable call, Reason reason) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void aSnapshotIsOfAVmThatRunsAndMakesOthersOnceItIsSealed() throws Exception {
        driver.create(FIRST, spec(2));
        refused(() -> driver.capture(SNAPSHOT, FIRST), Reason.CONFLICT);
        refused(() -> driver.capture(SNAPSHOT, SECOND), Reason.NOT_FOUND);
        driver.start(FIRST);

        driver.capture(SNAPSHOT, FIRST);
        driver.capture(SNAPSHOT, FIRST);
        refused(() -> driver.create(SECOND, fork(3)), Reason.SNAPSHOT_NOT_FOUND);
        assertThat(driver.seal(SNAPSHOT)).isEqualTo(driver.seal(SNAPSHOT));
        driver.create(SECOND, fork(3));
        refused(() -> driver.capture(SNAPSHOT, SECOND), Reason.CONFLICT);

        assertThat(driver.spec(SECOND)).contains(fork(3));
        driver.discard(SNAPSHOT);
        driver.discard(SNAPSHOT);
        assertThat(driver.snapshots()).isEmpty();
        refused(() -> driver.seal(SNAPSHOT), Reason.SNAPSHOT_NOT_FOUND);
        assertThat(driver.observe(SECOND)).isInstanceOf(Observed.Stopped.class);
    }

    @Test
    void snapshotsOfAFolderOutliveTheDriver(@TempDir Path dir) throws Exception {
        try (FakeDriver first = new FakeDriver(dir, Duration.ZERO)) {
            first.create(FIRST, spec(2));
            first.start(FIRST);
            first.capture(SNAPSHOT, FIRST);
        }
        try (FakeDriver second = new FakeDriver(dir, Duration.ZERO)) {
            second.seal(SNAPSHOT);
        }

        try (FakeDriver third = new FakeDriver(dir, Duration.ZERO)) {
            assertThat(third.snapshots()).containsExactly(SNAPSHOT);
            third.create(SECOND, fork(3));
        }
        try (FakeDriver fourth = new FakeDriver(dir, Duration.ZERO)) {
            assertThat(fourth.spec(SECOND)).contains(fork(3));
            fourth.discard(SNAPSHOT);
            fourth.destroy(FIRST);
            fourth.destroy(SECOND);
        }
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void vmsOfAFolderOutliveTheDriver(@TempDir Path dir) throws Exception {
        try (FakeDriver first = new FakeDriver(dir, Duration.ZERO)) {
            first.create(FIRST, spec(2));
            first.start(FIRST);
            first.create(SECOND, spec(3));
        }

        try (FakeDriver second = new FakeDriver(dir, Duration.ZERO)) {
            assertThat(second.spec(FIRST)).contains(spec(2));
            assertThat(banner(second, FIRST)).isEqualTo("SSH-2.0-fake_" + FIRST);
            assertThat(second.observe(SECOND)).isInstanceOf(Observed.Stopped.class);
            second.destroy(FIRST);
            second.destroy(SECOND);
        }
        assertThat(dir).isEmptyDirectory();
    }

    private static GuestVariables other() {
        return new GuestVariables(Map.of("GREETING", "hello"));
    }

    @Test
    void aGuestThatRunsIsGivenOtherVariablesAndKeepsThem() throws Exception {
        refused(() -> driver.refresh(FIRST, other()), Reason.NOT_FOUND);
        driver.create(FIRST, spec(2));
        refused(() -> driver.refresh(FIRST, other()), Reason.CONFLICT);
        driver.start(FIRST);

        driver.refresh(FIRST, other());
        driver.refresh(FIRST, other());

        assertThat(driver.refreshes(FIRST)).isEqualTo(2);
        driver.stop(FIRST, Duration.ZERO);
        driver.create(FIRST, spec(2));
        driver.start(FIRST);
        assertThat(driver.variables(FIRST)).contains(other());
        assertThat(driver.spec(FIRST)).contains(spec(2));
    }

    @Test
    void variablesOfAFolderOutliveTheDriver(@TempDir Path dir) throws Exception {
        try (FakeDriver first = new FakeDriver(dir, Duration.ZERO)) {
            first.create(FIRST, spec(2));
            first.start(FIRST);
            first.refresh(FIRST, other());
        }

        try (FakeDriver second = new FakeDriver(dir, Duration.ZERO)) {
            assertThat(second.variables(FIRST)).contains(other());
            assertThat(second.spec(FIRST)).contains(spec(2));
        }
    }

    /** One that was written before guests could be given variables. */
    @Test
    void aDriverThatSaysNothingOfVariablesGivesNone() {
        VmDriver old = (VmDriver) Proxy.newProxyInstance(
                VmDriver.class.getClassLoader(),
                new Class<?>[] {VmDriver.class},
                (proxy, method, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments));

        assertThatThrownBy(() -> old.refresh(FIRST, other())).satisfies(is(Reason.INVALID));
    }

    @Test
    void tasksOfAFolderOutliveTheDriverAndEndWithTheirVm(@TempDir Path dir) throws Exception {
        TaskName ended = new TaskName("ended");
        TaskName running = new TaskName("running");
        GuestTask task = new GuestTask(List.of("true"), Duration.ofMinutes(1));
        try (FakeDriver first = new FakeDriver(dir, Duration.ZERO)) {
            first.create(FIRST, spec(2));
            first.start(FIRST);
            first.programs((name, any) -> new FakeProgram("said\n", name.equals(ended) ? (Integer) 3 : null));
            first.run(FIRST, ended, task);
            first.run(FIRST, running, task);
        }

        try (FakeDriver second = new FakeDriver(dir, Duration.ZERO)) {
            second.run(FIRST, ended, task);
            assertThat(second.report(FIRST, ended, 2))
                    .isEqualTo(new TaskReport(new TaskReport.State.Ended(3), 2, "id\n".getBytes(US_ASCII)));
            assertThat(second.report(FIRST, running, 0).state()).isEqualTo(new TaskReport.State.Running());
            second.stop(FIRST, Duration.ZERO);
            second.start(FIRST);
            assertThat(second.report(FIRST, ended, 0)).isEqualTo(TaskReport.absent());
            second.destroy(FIRST);
        }
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aVmCanBeLostAndADriverBeAway() throws Exception {
        driver.create(FIRST, spec(2));
        driver.lose(FIRST);
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Absent.class);

        driver.miss("it is away");

        assertThat(driver.availability()).isEqualTo(new Availability.Unavailable(List.of("it is away")));
        assertThatThrownBy(() -> driver.create(FIRST, spec(2))).satisfies(is(Reason.UNAVAILABLE));
    }

    @Test
    void repetitionDoesNoHarm() throws Exception {
        driver.create(FIRST, spec(2));
        driver.create(FIRST, spec(2));
        driver.start(FIRST);
        Observed running = driver.observe(FIRST);
        driver.start(FIRST);
        assertThat(driver.observe(FIRST)).isEqualTo(running);
        driver.stop(FIRST, Duration.ZERO);
        driver.stop(FIRST, Duration.ZERO);
        driver.destroy(FIRST);
        driver.destroy(FIRST);
    }

    @Test
    void anIdAndAnAddressBelongToOneVm() throws Exception {
        driver.create(FIRST, spec(2));

        assertThatThrownBy(() -> driver.create(FIRST, spec(3))).satisfies(is(Reason.CONFLICT));
        assertThatThrownBy(() -> driver.create(SECOND, spec(2))).satisfies(is(Reason.CONFLICT));
    }

    @Test
    void aFailureThatWasAskedForHappensOnce() throws Exception {
        driver.create(FIRST, spec(2));
        driver.failNext(FakeDriver.Step.START, new VmException(Reason.EXHAUSTED, "no room"));

        assertThatThrownBy(() -> driver.start(FIRST)).satisfies(is(Reason.EXHAUSTED));
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Stopped.class);
        driver.start(FIRST);
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Running.class);
    }

    @Test
    void aGuestMayEndByItselfOrBeDamaged() throws Exception {
        driver.create(FIRST, spec(2));
        driver.start(FIRST);

        driver.end(FIRST);
        assertThat(driver.observe(FIRST)).isInstanceOf(Observed.Stopped.class);
        driver.damage(FIRST, "its disk is gone");
        assertThatThrownBy(() -> driver.start(FIRST)).hasMessageContaining("its disk is gone");
    }

    @Test
    void driversAreFoundByTheirNames() throws Exception {
        Map<String, VmDriverFactory> found = new java.util.TreeMap<>();
        ServiceLoader.load(VmDriverFactory.class).forEach(factory -> found.put(factory.name(), factory));

        assertThat(found).containsKeys("fake", "none");
        assertThatThrownBy(() -> found.get("fake").create(Map.of("speed", "high")))
                .satisfies(is(Reason.INVALID))
                .hasMessageContaining("[speed]");
        try (VmDriver none = found.get("none").create(Map.of())) {
            assertThat(none.availability()).isInstanceOf(Availability.Unavailable.class);
            assertThatThrownBy(() -> none.create(FIRST, spec(2))).satisfies(is(Reason.UNAVAILABLE));
            none.destroy(FIRST);
        }
    }

    private static java.util.function.Consumer<Throwable> is(Reason reason) {
        return thrown -> assertThat(((VmException) thrown).reason()).isEqualTo(reason);
    }

    @Test
    void aTaskIsStartedOnceAndEndsWithTheRunOfItsVm() throws Exception {
        TaskName name = new TaskName("build");
        GuestTask task = new GuestTask(List.of("make", "all"), Map.of("notes", "n"), "notes", Duration.ofMinutes(1));
        driver.programs((any, asked) -> new FakeProgram("begun\n", null));
        driver.create(FIRST, spec(2));
        refused(() -> driver.run(FIRST, name, task), Reason.CONFLICT);
        driver.start(FIRST);

        assertThat(driver.report(FIRST, name, 0).state()).isEqualTo(new TaskReport.State.Absent());
        driver.run(FIRST, name, task);
        driver.run(FIRST, name, new GuestTask(List.of("other"), Duration.ofMinutes(1)));
        assertThat(driver.task(FIRST, name)).contains(task);
        driver.write(FIRST, name, "going on\n");
        TaskReport report = driver.report(FIRST, name, 6);
        assertThat(new String(report.output(), US_ASCII)).isEqualTo("going on\n");
        assertThat(report.state()).isEqualTo(new TaskReport.State.Running());
        driver.endTask(FIRST, name, 3);
        assertThat(driver.report(FIRST, name, 15))
                .isEqualTo(new TaskReport(new TaskReport.State.Ended(3), 15, new byte[0]));

        driver.stop(FIRST, Duration.ZERO);
        driver.start(FIRST);
        assertThat(driver.report(FIRST, name, 0)).isEqualTo(TaskReport.absent());
    }
}
