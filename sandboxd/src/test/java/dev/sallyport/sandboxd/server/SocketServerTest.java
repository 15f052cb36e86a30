package dev.sallyport.sandboxd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeProgram;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.client.SandboxdDriver;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The protocol, over a real socket, with a driver without guests behind it. */
class SocketServerTest {

    private static final VmId ID = new VmId("vm_" + "a".repeat(26));

    @TempDir
    Path folder;

    private final FakeDriver fake = new FakeDriver();
    private Path socket;
    private SocketServer server;
    private SandboxdDriver driver;

    @BeforeEach
    void open() throws IOException {
        socket = folder.resolve("s");
        server = SocketServer.open(socket, Files.getOwner(Path.of("/proc/self")), fake);
        driver = new SandboxdDriver(socket);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private static VmSpec spec() throws Exception {
        return spec("10.77.0.2");
    }

    private static VmSpec spec(String address) throws Exception {
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease(Members.address("address", address)),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me", Map.of()));
    }

    private JsonNode ask(String line) throws Exception {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return Lines.read(channel, Lines.LONGEST_ANSWER);
        }
    }

    @Test
    void aTaskIsRunAndReportedOn() throws Exception {
        TaskName name = new TaskName("work");
        GuestTask task = new GuestTask(List.of("cat", "it's $HOME"), Map.of("in", "a\nb"), "in", Duration.ofSeconds(5));
        fake.programs((any, asked) -> new FakeProgram("\u0001ä", 3));
        driver.create(ID, spec());
        assertThatThrownBy(() -> driver.report(ID, name, 0))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        driver.start(ID);

        assertThat(driver.report(ID, name, 0)).isEqualTo(TaskReport.absent());
        driver.run(ID, name, task);
        assertThat(fake.task(ID, name)).contains(task);
        assertThat(driver.report(ID, name, 1))
                .isEqualTo(new TaskReport(new TaskReport.State.Ended(3), 1, "ä".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aGuestIsGivenOtherVariables() throws Exception {
        GuestVariables variables = new GuestVariables(Map.of("GREETING", "it's\n\"me\" \u0001ä", "EMPTY", ""));
        driver.create(ID, spec());
        assertThatThrownBy(() -> driver.refresh(ID, variables))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        driver.start(ID);

        driver.refresh(ID, variables);

        assertThat(fake.variables(ID)).contains(variables);
        assertThat(ask("{\"version\": 1, \"operation\": \"refresh\", \"id\": \"" + ID
                                + "\", \"variables\": {\"A; reboot\": \"hidden\"}}")
                        .at("/error")
                        .toString())
                .contains("\"reason\":\"invalid\"", "a name that is none")
                .doesNotContain("hidden");
    }

    @Test
    void aVmWalksThroughItsLife() throws Exception {
        driver.create(ID, spec());
        driver.start(ID);
        assertThat(driver.observe(ID)).isInstanceOf(Observed.Running.class);
        assertThat(driver.observeAll()).containsOnlyKeys(ID);
        assertThat(driver.hostKeys(ID)).isEqualTo(fake.hostKeys(ID));
        assertThat(driver.images()).isEqualTo(fake.images());
        assertThat(driver.availability()).isEqualTo(fake.availability());
        assertThat(driver.refused(ID)).isEqualTo(fake.refused(ID));
        driver.stop(ID, Duration.ofMillis(5));
        assertThat(driver.observe(ID)).isEqualTo(new Observed.Stopped());
        driver.destroy(ID);
        assertThat(driver.observe(ID)).isEqualTo(new Observed.Absent());
    }

    @Test
    void whoeverWantsAnotherDriverMakesNoVm() throws Exception {
        SandboxdDriver picky = new SandboxdDriver(socket, "qemu");

        assertThat(picky.availability())
                .isInstanceOfSatisfying(
                        Availability.Unavailable.class,
                        unavailable -> assertThat(unavailable.problems())
                                .singleElement()
                                .asString()
                                .contains("does not run driver qemu (expected: sandboxd --driver qemu)"));
        assertThatThrownBy(() -> picky.create(ID, spec()))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        assertThat(picky.observeAll()).isEmpty();
    }

    @Test
    void aSnapshotWalksThroughItsLife() throws Exception {
        SnapshotId snapshot = new SnapshotId("snap_" + "a".repeat(26));
        driver.create(ID, spec());
        driver.start(ID);

        driver.capture(snapshot, ID);
        assertThat(driver.snapshots()).containsExactly(snapshot);
        assertThat(driver.seal(snapshot)).isEqualTo(fake.seal(snapshot));
        driver.discard(snapshot);

        assertThat(driver.snapshots()).isEmpty();
        assertThatThrownBy(() -> driver.seal(snapshot))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SNAPSHOT_NOT_FOUND));
    }

    @Test
    void errorsKeepTheirReasons() {
        assertThatThrownBy(() -> driver.start(ID))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND))
                .hasMessage("there is no VM " + ID);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | unknown version",
                "{\"version\":2,\"operation\":\"images\"} | unknown version",
                "{\"version\":1,\"operation\":\"exec\"} | unknown operation",
                "{\"version\":1,\"operation\":\"start\"} | no member 'id'",
                "{\"version\":1,\"operation\":\"start\",\"id\":\"../x\"} | not the id of a VM",
                "{\"version\":1,\"operation\":\"start\",\"id\":7} | 'id' is no string",
                "{\"version\":1,\"operation\":\"images\",\"id\":\"x\"} | unknown member",
                "{\"version\":1,\"operation\":\"stop\",\"id\":\"vm_aaaaaaaaaaaaaaaaaaaaaaaaaa\",\"grace_millis\":-1} | out of range",
                "no json | this is no JSON"
            })
    void aWrongRequestIsRefusedWithWhatWasExpected(String request, String message) throws Exception {
        JsonNode error = ask(request).path("error");

        assertThat(error.path("reason").asText()).isEqualTo("invalid");
        assertThat(error.path("message").asText()).contains(message);
    }

    @Test
    void aRequestThatIsTooLongIsRefused() throws Exception {
        assertThat(ask(" ".repeat(Lines.LONGEST_REQUEST - 1) + "{}")
                        .path("error")
                        .path("message")
                        .asText())
                .contains("bytes");
    }

    /** Such as one that looks whether somebody listens. */
    @Test
    void whoeverAsksNothingIsToldNothing() throws Exception {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            client.shutdownOutput();

            assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void theSocketIsItsOwnersAlone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(socket);
        }
    }

    @Test
    void anotherUserIsRefusedEvenWhereTheFileLetsHimIn() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("setpriv");
        Tools.require("perl");
        for (Path path = socket; !path.equals(path.getRoot()); path = path.getParent()) {
            if (path.startsWith(folder)) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            }
        }
        Process other = new ProcessBuilder(
                        "setpriv",
                        "--reuid",
                        "65534",
                        "--regid",
                        "65534",
                        "--clear-groups",
                        "--",
                        "perl",
                        "-MIO::Socket::UNIX",
                        "-e",
                        """
                        $SIG{PIPE} = "IGNORE";
                        $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "not let in: $!";
                        $s->send("{\\"version\\":1,\\"operation\\":\\"images\\"}\\n");
                        print $s->getline;
                        """,
                        socket.toString())
                .redirectErrorStream(true)
                .start();

        String answer = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(answer).contains("this user may not ask sandboxd").doesNotContain("debian-12");
    }

    @Test
    void aSocketThatSomebodyListensAtIsNotTaken() {
        assertThatThrownBy(() -> SocketServer.open(socket, Files.getOwner(Path.of("/proc/self")), fake))
                .isInstanceOf(IOException.class)
                .hasMessage("another process listens at " + socket);
    }

    @Test
    void aSocketThatWasLeftBehindIsReplaced() throws Exception {
        Path left = folder.resolve("left");
        try (var listener = java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(left));
        }
        try (SocketServer second = SocketServer.open(left, Files.getOwner(Path.of("/proc/self")), fake)) {
            assertThat(new SandboxdDriver(left).images()).isEqualTo(fake.images());
        }
        assertThat(left).doesNotExist();
    }

    @Test
    void aRequestThatGetsNoThreadIsNotTheLast() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Path other = folder.resolve("other");
        var clients = new SocketServer.Clients(
                Duration.ofSeconds(10),
                task -> {
                    if (asked.getAndIncrement() == 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return new Thread(task);
                },
                Duration.ofSeconds(30));
        try (SocketServer poor = SocketServer.open(other, Files.getOwner(Path.of("/proc/self")), fake, clients)) {
            assertThatThrownBy(() -> new SandboxdDriver(other).images()).isInstanceOf(VmException.class);

            assertThat(new SandboxdDriver(other).images()).isEqualTo(fake.images());
        }
    }

    /** It may have let a guest stand still. */
    @Test
    void aRequestThatIsStillBeingAnsweredAtTheEndIsInterrupted() throws Exception {
        fake.hold(id -> true);
        Path other = folder.resolve("other");
        List<Thread> answering = new CopyOnWriteArrayList<>();
        var clients = new SocketServer.Clients(
                Duration.ofSeconds(10),
                task -> {
                    answering.add(new Thread(task));
                    return answering.getLast();
                },
                Duration.ofMillis(100));
        SocketServer ending = SocketServer.open(other, Files.getOwner(Path.of("/proc/self")), fake, clients);
        Future<?> asked = CompletableFuture.runAsync(() -> {
            try {
                new SandboxdDriver(other).create(ID, spec());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        while (answering.isEmpty() || answering.getFirst().getState() != Thread.State.WAITING) {
            Thread.sleep(10);
        }

        ending.close();

        assertThat(answering.getFirst().join(Duration.ofSeconds(10))).isTrue();
        assertThatThrownBy(() -> asked.get(10, TimeUnit.SECONDS)).hasRootCauseInstanceOf(Exception.class);
    }

    @Test
    void aClientThatDoesNotTakeItsAnswerIsLeft() throws Exception {
        for (int i = 2; i < 102; i++) {
            VmId id = new VmId("vm_%026d".formatted(i));
            fake.create(id, spec("10.77.0." + i));
            fake.damage(id, "x".repeat(10_000));
        }
        Path other = folder.resolve("other");
        var clients = new SocketServer.Clients(Duration.ofSeconds(3), Thread::new, Duration.ofSeconds(30));
        try (SocketServer strict = SocketServer.open(other, Files.getOwner(Path.of("/proc/self")), fake, clients);
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(other));
            channel.write(ByteBuffer.wrap(
                    "{\"version\":1,\"operation\":\"observe_all\"}\n".getBytes(StandardCharsets.UTF_8)));

            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(1);

            assertThatThrownBy(() -> {
                        for (int i = 0; i < 600; i++) {
                            channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
                            Thread.sleep(50);
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void withoutSandboxdTheDriverIsUnavailable() {
        assertThatThrownBy(() -> new SandboxdDriver(folder.resolve("none")).images())
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }

    @Test
    void whatAStartThatWasKilledHasLeftIsRemoved() throws Exception {
        server.close();
        Path left = Files.createDirectory(folder.resolve(".sandboxd123"));
        Files.createFile(left.resolve("s"));
        Path file = Files.createFile(folder.resolve(".sandboxd456"));
        Path other = Files.createDirectory(folder.resolve("other"));

        server = SocketServer.open(socket, Files.getOwner(Path.of("/proc/self")), fake);

        try (Stream<Path> present = Files.list(folder)) {
            assertThat(present).containsExactlyInAnyOrder(socket, file, other);
        }
    }
}
