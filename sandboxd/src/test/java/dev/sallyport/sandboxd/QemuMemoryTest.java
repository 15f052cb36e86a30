package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guests of the driver {@code qemu} that go on from what their parent had in memory. */
@Tag("long")
class QemuMemoryTest {

    private static final SnapshotId SNAPSHOT = Host.snapshotId(0);

    private static Host host;

    @BeforeAll
    static void open() throws Exception {
        host = Host.openQemu("--snapshot-memory", "true");
    }

    @AfterAll
    static void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @AfterEach
    void removeAll() throws Exception {
        host.removeAll();
        assertThat(host.traces()).isEmpty();
    }

    /** A VM that writes the time into a file in memory, ten times a second; and a snapshot of it. */
    private static VmId parent() throws Exception {
        VmId parent = host.boot(2);
        host.driver().refresh(parent, new GuestVariables(Map.of("TOKEN", "that of the parent")));
        host.ssh(2, """
                nohup sh -c 'while :; do date +%s >> /dev/shm/beat; sleep 0.1; done' > /dev/null 2>&1 < /dev/null &
                echo parent > /tmp/note; echo disk > /root/note; echo 'TOKEN=parent' >> /etc/profile.d/sallyport.sh
                echo parent >> /root/.ssh/authorized_keys""");
        return parent;
    }

    private static Path memory() {
        return host.folder().resolve("snapshots").resolve(SNAPSHOT.value()).resolve("memory");
    }

    private static Path memory(int number) {
        return host.folder().resolve("vms").resolve(Host.id(number).value()).resolve("memory");
    }

    private static boolean goesOn(int number) throws Exception {
        return host.ssh(number, "cat /tmp/note 2> /dev/null").equals("parent\n");
    }

    @Test
    void twoForksGoOnAtOnceEachAsOneOfItsOwn() throws Exception {
        VmId parent = parent();
        TaskName task = new TaskName("work");
        host.driver().run(parent, task, new GuestTask(List.of("sleep", "4321"), Duration.ofHours(1)));
        host.driver().capture(SNAPSHOT, parent);
        Layer layer = host.driver().seal(SNAPSHOT);
        assertThat(layer.sizeBytes()).isGreaterThan(Files.size(memory()));
        Thread.sleep(5_000); // so that the clock of the fork has something to make up for

        host.createFork(3, SNAPSHOT);
        host.createFork(4, SNAPSHOT);
        Thread other = Thread.ofPlatform().start(() -> start(4));
        start(3);
        other.join();

        for (int number : List.of(3, 4)) {
            host.awaitSsh(number);
            assertThat(goesOn(number)).as(host.log()).isTrue();
            assertThat(host.ssh(
                            number,
                            "hostname; cat /root/note; ip -4 -o address show dev eth0 | awk '{print $4}'"
                                    + "; ip route | sort; cat /sys/class/net/eth0/address"))
                    .isEqualTo("""
                            guest%1$d
                            disk
                            10.77.0.%1$d/32
                            10.77.0.1 dev eth0 scope link\s
                            default via 10.77.0.1 dev eth0\s
                            52:54:00:00:00:0%1$d
                            """.formatted(number));
            assertThat(host.ssh(number, ". /etc/profile; echo $TOKEN; wc -l < /root/.ssh/authorized_keys"))
                    .isEqualTo("it's a placeholder\n1\n");
            assertThat(host.ssh(number, "cat /run/sallyport.sh 2>&1")).contains("No such file");
            long asked = Instant.now().getEpochSecond();
            assertThat(Long.parseLong(host.ssh(number, "date +%s").strip()))
                    .isBetween(asked - 3, Instant.now().getEpochSecond() + 1);
            assertThat(host.driver().report(Host.id(number), task, 0)).isEqualTo(TaskReport.absent());
            assertThat(host.ssh(number, "ps -e -o args= | grep -c '[s]leep 4321'"))
                    .isEqualTo("0\n");
            String before = host.ssh(number, "tail -n 1 /dev/shm/beat");
            assertThat(host.ssh(number, "sleep 1.5; tail -n 1 /dev/shm/beat")).isGreaterThan(before);
            assertThat(memory(number)).doesNotExist();
        }
        assertThat(Stream.of(2, 3, 4).map(number -> said(number, "cat /etc/machine-id")))
                .doesNotHaveDuplicates();
        assertThat(Stream.of(2, 3, 4).map(number -> said(number, "cat /proc/sys/kernel/random/boot_id")))
                .doesNotHaveDuplicates();
        assertThat(Stream.of(3, 4).map(number -> said(number, "head -c 32 /dev/urandom | od -An -tx1")))
                .doesNotHaveDuplicates();
        assertThat(host.ssh(3, "dd if=/dev/zero of=/root/more bs=1M count=55 2>/dev/null && sync && echo written"))
                .isEqualTo("written\n");
        assertThat(host.driver().refused(Host.id(3)).spoofed()).isZero();
        assertThat(goesOn(2)).as("the parent").isTrue();
        host.driver().refresh(Host.id(3), new GuestVariables(Map.of("TOKEN", "another one")));
        assertThat(host.ssh(3, ". /etc/profile; echo $TOKEN")).isEqualTo("another one\n");
    }

    private static void start(int number) {
        try {
            host.driver().start(Host.id(number));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String said(int number, String script) {
        try {
            return host.ssh(number, script);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aStateThatIsDamagedOrOfAnotherMachineIsNotGoneOnFrom() throws Exception {
        host.snapshot(0, parent());
        byte[] whole = Files.readAllBytes(memory());
        change(whole, whole.length - 1);

        host.fork(3, SNAPSHOT);

        assertThat(host.log()).contains("the saved state is damaged");
        assertThat(host.ssh(3, "hostname; cat /root/note /tmp/note 2> /dev/null"))
                .isEqualTo("guest3\ndisk\n");
        change(whole, 100);
        host.fork(4, SNAPSHOT);
        assertThat(host.log()).contains("that of another machine");
        assertThat(host.ssh(4, "hostname; cat /root/note /tmp/note 2> /dev/null"))
                .isEqualTo("guest4\ndisk\n");
        assertThat(memory(3)).doesNotExist();
    }

    @Test
    void aForkOfAForkGoesOnAndWhatTheParentHasMadeOfItsFilesIsNotKept() throws Exception {
        host.snapshot(0, parent());
        VmId fork = host.fork(3, SNAPSHOT);
        assertThat(goesOn(3)).as(host.log()).isTrue();
        host.ssh(
                3,
                "umount /etc/ssh/*; umount /root/.ssh/*; rm -rf /etc/ssh /root/.ssh; ln -s /opt /etc/ssh;"
                        + " ln -s /nowhere /root/.ssh; umount /etc/machine-id; echo mine > /etc/machine-id");
        SnapshotId second = host.snapshot(1, fork);
        host.driver().destroy(fork);

        host.fork(4, second);

        assertThat(goesOn(4)).as(host.log()).isTrue();
        assertThat(host.ssh(4, "hostname; ls /etc/ssh /root/.ssh; ls -A /opt; wc -c < /etc/machine-id"))
                .startsWith("guest4\n")
                .contains("sallyport_sshd_config", "authorized_keys")
                .endsWith("\n33\n");
    }

    @Test
    void aGuestGoesOnWhenSandboxdIsKilledWhileItsMemoryIsWritten() throws Exception {
        VmId parent = parent();
        Future<?> capture = begin(() -> host.driver().capture(SNAPSHOT, parent));
        host.run("sh", "-c", "until [ -e /run/sandboxd/qemu/" + parent + "/cwd/state ]; do sleep 0.02; done");
        host.killSandboxd();
        capture.get();

        host.startSandboxd();

        assertThat(goesOn(2)).isTrue();
        assertThat(host.ssh(2, "echo again > /root/note && cat /root/note"))
                .as("it thaws by itself")
                .isEqualTo("again\n");
        host.snapshot(0, parent);
        assertThat(memory()).exists();
    }

    @Test
    void oneThatHasNoIdentityYetIsEndedByWhoeverTakesOver() throws Exception {
        host.snapshot(0, parent());
        host.createFork(3, SNAPSHOT);
        Future<?> start = begin(() -> host.driver().start(Host.id(3)));
        host.run("sh", "-c", "until [ -e /run/sandboxd/qemu/" + Host.id(3) + "/renewing ]; do sleep 0.02; done");
        host.killSandboxd();
        start.get();

        host.startSandboxd();

        assertThat(host.driver().observe(Host.id(3))).isEqualTo(new Observed.Stopped());
        host.driver().start(Host.id(3));
        host.awaitSsh(3);
        assertThat(host.ssh(3, "hostname; cat /root/note")).isEqualTo("guest3\ndisk\n");
    }

    private interface Work {
        void run() throws VmException, InterruptedException;
    }

    /** Begins something during which sandboxd is killed. */
    private static Future<?> begin(Work work) {
        FutureTask<@Nullable Void> task = new FutureTask<>(() -> {
            try {
                work.run();
            } catch (VmException e) {
                assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE);
            }
            return null;
        });
        Thread.ofPlatform().start(task);
        return task;
    }

    private static void change(byte[] whole, int at) throws IOException {
        byte[] changed = whole.clone();
        changed[at]++;
        Files.write(memory(), changed);
    }
}
