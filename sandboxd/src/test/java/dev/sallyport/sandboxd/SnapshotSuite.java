package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Snapshots of real guests of a driver, through sandboxd's socket, and guests that are made from them. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class SnapshotSuite {

    /** One class after the other. */
    static Host host;

    /** With sandboxd running, and the driver that is tried. */
    abstract Host open() throws Exception;

    @BeforeAll
    void begin() throws Exception {
        host = open();
    }

    @AfterAll
    void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @AfterEach
    void removeAll() throws Exception {
        host.removeAll();
        assertThat(host.traces()).isEmpty();
    }

    static void refused(ThrowableAssert.ThrowingCallable call, Reason reason) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VmException.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
    }

    static List<Path> layers() throws Exception {
        try (Stream<Path> all = Files.list(host.folder().resolve("layers"))) {
            return all.filter(layer -> !layer.getFileName().toString().startsWith("."))
                    .toList();
        }
    }

    private static void change(int number) throws Exception {
        assertThat(host.ssh(number, """
                        set -e
                        mkdir /opt/x; cd /opt/x
                        for i in $(seq 500); do echo $i > $i; done
                        echo linked > one; ln one two; ln -s /etc/passwd link; mkfifo pipe
                        printf 'odd' > "$(printf 'a\\nb *')"; truncate -s 1T sparse; echo end >> sparse
                        echo mine > mine; chown 1000:1001 mine; chmod 4751 mine; touch -d 2001-02-03T04:05:06Z mine
                        rm -r /usr/share/doc; rm -r /etc/apt; mkdir /etc/apt; echo new > /etc/apt/new
                        echo changed >> /etc/issue
                        echo done""")).isEqualTo("done\n");
    }

    private static final String LOOK = """
            cd /opt/x; ls | wc -l; cat 250 two; stat -c %h one; readlink link; stat -c %F pipe
            cat "$(printf 'a\\nb *')"; echo; stat -c %s sparse; tail -c 4 sparse; stat -c '%u %g %a %Y' mine
            ls -d /usr/share/doc 2>/dev/null || echo gone; ls -A /etc/apt; tail -n 1 /etc/issue""";

    private static final String SEEN = """
            508
            250
            linked
            2
            /etc/passwd
            fifo
            odd
            1099511627780
            end
            1000 1001 4751 981173106
            gone
            new
            changed
            """;

    @Test
    void forksHaveTheFilesAndAnIdentityOfTheirOwnAndTheSourceGoesOn() throws Exception {
        VmId source = host.boot(2);
        change(2);
        host.ssh(2, "nohup sh -c 'while :; do date +%s%N; sleep 0.01; done' > /root/beat 2>&1 < /dev/null &");

        host.driver().capture(Host.snapshotId(0), source);
        String before = host.ssh(2, "wc -l < /root/beat").strip();
        Layer layer = host.driver().seal(Host.snapshotId(0));
        host.fork(3, Host.snapshotId(0));
        host.fork(4, Host.snapshotId(0));

        assertThat(layer.sizeBytes()).isBetween(1L << 18, 1L << 24);
        for (int number : List.of(2, 3, 4)) {
            assertThat(host.ssh(number, LOOK)).as("guest " + number).isEqualTo(SEEN);
        }
        assertThat(host.ssh(2, "wc -l < /root/beat; pgrep -f beat > /dev/null; hostname"))
                .as("the source goes on")
                .endsWith("guest2\n")
                .doesNotStartWith(before + "\n");
        assertThat(host.ssh(3, "hostname; ps -e -o comm= | grep -c sleep")).isEqualTo("guest3\n0\n");
        List<String> identities = List.of(identity(2), identity(3), identity(4));
        assertThat(identities).doesNotHaveDuplicates();
        assertThat(Stream.of(2, 3, 4).map(Host::id).map(SnapshotSuite::hostKey)).doesNotHaveDuplicates();
        host.ssh(3, "echo third > /opt/x/250");
        assertThat(host.ssh(4, "cat /opt/x/250")).isEqualTo("250\n");
        assertThat(host.ssh(2, "cat /opt/x/250")).isEqualTo("250\n");
    }

    private static String identity(int number) throws Exception {
        return host.ssh(number, "cat /etc/machine-id");
    }

    private static String hostKey(VmId id) {
        try {
            return host.driver().hostKeys(id).getFirst().key();
        } catch (VmException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void layersStayAsLongAsAVmOrAnotherSnapshotIsMadeOfThem() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, "echo first > /root/first");
        SnapshotId first = host.snapshot(0, source);
        host.driver().destroy(source);
        VmId child = host.fork(3, first);
        host.ssh(3, "echo second > /root/second; rm -r /usr/share/doc");
        SnapshotId second = host.snapshot(1, child);
        assertThat(layers()).hasSize(2);

        host.driver().discard(first);
        assertThat(host.driver().snapshots()).containsExactly(second);
        assertThat(layers()).as("in use by a VM and a snapshot").hasSize(2);
        refused(() -> host.driver().create(Host.id(5), host.spec(5, first)), Reason.SNAPSHOT_NOT_FOUND);
        host.driver().stop(child, Duration.ZERO);
        host.driver().start(child);
        host.awaitSsh(3);
        assertThat(host.ssh(3, "cat /root/first /root/second")).isEqualTo("first\nsecond\n");
        host.driver().destroy(child);
        assertThat(layers()).as("in use by a snapshot").hasSize(2);
        VmId grandchild = host.fork(4, second);
        assertThat(host.ssh(4, "cat /root/first /root/second; ls -d /usr/share/doc 2>/dev/null || echo gone"))
                .isEqualTo("first\nsecond\ngone\n");
        host.driver().discard(second);
        assertThat(layers()).as("in use by a VM").hasSize(2);
        host.driver().destroy(grandchild);
        assertThat(layers()).isEmpty();
    }

    @Test
    void repetitionDoesNoHarm() throws Exception {
        VmId source = host.boot(2);
        host.driver().capture(Host.snapshotId(0), source);
        host.driver().capture(Host.snapshotId(0), source);
        refused(() -> host.driver().create(Host.id(3), host.spec(3, Host.snapshotId(0))), Reason.SNAPSHOT_NOT_FOUND);
        Layer layer = host.driver().seal(Host.snapshotId(0));
        assertThat(host.driver().seal(Host.snapshotId(0))).isEqualTo(layer);
        host.driver().capture(Host.snapshotId(0), source);
        VmId other = host.boot(3);
        refused(() -> host.driver().capture(Host.snapshotId(0), other), Reason.CONFLICT);
        host.driver().discard(Host.snapshotId(0));
        host.driver().discard(Host.snapshotId(0));
        refused(() -> host.driver().seal(Host.snapshotId(0)), Reason.SNAPSHOT_NOT_FOUND);
    }

    @Test
    void aVmThatIsDestroyedAsSoonAsItsCopyIsTakenLeavesAWholeSnapshot() throws Exception {
        VmId source = host.fork(3, whole());
        host.driver().discard(Host.snapshotId(0)); // from now on the VM alone names its layer
        host.ssh(
                3,
                "dd if=/dev/urandom of=/root/more bs=1M count=60 2>/dev/null"); // which takes a while to be on the disk
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<VmId> destroyed = threads.submit(() -> {
                while (host.driver().snapshots().stream().noneMatch(Host.snapshotId(1)::equals)) {
                    Thread.onSpinWait();
                }
                host.driver().destroy(source); // waits until it does not stand still any more
                return source;
            });
            host.driver().capture(Host.snapshotId(1), source);
            assertThat(destroyed.get(3L * Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(source);
        }
        host.driver().seal(Host.snapshotId(1));
        host.fork(4, Host.snapshotId(1));

        assertThat(host.ssh(4, "cat /root/first")).isEqualTo("first\n");
    }

    /** A snapshot of a VM that is gone. */
    private static SnapshotId whole() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, "echo first > /root/first; dd if=/dev/urandom of=/root/blob bs=1M count=20 2>/dev/null");
        SnapshotId snapshot = host.snapshot(0, source);
        host.driver().destroy(source);
        return snapshot;
    }

    @Test
    void whatDoesNotRunIsNotCaptured() throws Exception {
        refused(() -> host.driver().capture(Host.snapshotId(0), Host.id(2)), Reason.NOT_FOUND);
        VmId source = host.boot(2);
        host.driver().stop(source, Duration.ZERO);

        refused(() -> host.driver().capture(Host.snapshotId(0), source), Reason.CONFLICT);

        assertThat(host.driver().snapshots()).isEmpty();
    }

    @Test
    void whatWasBeingRemovedOrUnpackedWhenSandboxdWasKilledIsRemovedByTheNextOne() throws Exception {
        host.killSandboxd();
        for (String name : List.of(".new-" + Host.snapshotId(0), ".old-1", "a".repeat(64))) {
            Path root = Files.createDirectories(host.folder().resolve("layers").resolve(name + "/rootfs/a/b"));
            Files.writeString(root.resolve("file"), "half");
        }

        host.startSandboxd();

        assertThat(host.traces()).isEmpty();
    }

    @Test
    void whereverSandboxdIsKilledASnapshotIsWholeOrNotThere() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        VmId source = host.boot(2);
        change(2);
        host.ssh(2, "dd if=/dev/urandom of=/root/blob bs=1M count=20 2>/dev/null");
        SnapshotId id = Host.snapshotId(0);
        for (int round = 0; round < 8; round++) {
            Thread life = Thread.ofPlatform().start(() -> live(id, source));
            Thread.sleep(random.nextInt(700));
            host.killSandboxd();
            life.join();
            host.startSandboxd();

            assertThat(host.ssh(2, "echo here")).as("seed %d", seed).isEqualTo("here\n");
            host.driver().capture(id, source);
            host.driver().seal(id);
            assertThat(layers()).as("seed %d", seed).hasSize(1);
            host.fork(3, id);
            assertThat(host.ssh(3, LOOK)).as("seed %d", seed).isEqualTo(SEEN);
            host.driver().destroy(Host.id(3));
            host.driver().discard(id);
            assertThat(host.traces()).as("seed %d", seed).doesNotContainKeys("layers", "snapshots");
        }
    }

    private static void live(SnapshotId id, VmId source) {
        try {
            host.driver().capture(id, source);
            host.driver().seal(id);
            host.driver().discard(id);
        } catch (VmException e) {
            assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE); // sandboxd was killed
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
