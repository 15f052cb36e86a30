package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import dev.sallyport.sandboxd.vm.Body;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a machine that is none: a QEMU that only talks. */
class CopierTest {

    private static final Pattern COMMAND = Pattern.compile("\"execute\":\"([a-z_-]+)\"");
    private static final String STATE = "the state of a machine";
    private static final VmId VM = new VmId("vm_" + "a".repeat(26));
    private static final String SHAPE = "memory=1 qemu=0";

    @TempDir
    Path folder;

    private final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    private QemuFiles files;
    private UnixPeer monitor;
    private UnixPeer port;
    private Body.Target target;

    /** How the writing of its state ends. */
    private volatile String end = "completed";

    private volatile String migration = "none";
    private volatile String status = "running";
    private volatile String frozen = "0";

    @BeforeEach
    void begin() throws Exception {
        files = new QemuFiles(
                Files.createDirectory(folder.resolve("home")), Files.createDirectory(folder.resolve("run")));
        Files.createDirectory(files.folder());
        Files.writeString(files.disk(), "a disk");
        target = target(1 << 20);
        Files.createFile(target.disk());
        monitor = new UnixPeer(files.monitor(), this::monitor);
        port = new UnixPeer(files.port(), this::port);
    }

    @AfterEach
    void end() throws Exception {
        monitor.close();
        port.close();
    }

    private Body.Target target(long mostMemory) {
        return new Body.Target(folder.resolve("disk"), 1 << 20, folder.resolve("memory"), mostMemory);
    }

    private void monitor(InputStream in, OutputStream out) throws IOException {
        say(out, "{\"QMP\": {}}\r\n");
        for (Matcher command = COMMAND.matcher(UnixPeer.line(in));
                command.find();
                command = COMMAND.matcher(UnixPeer.line(in))) {
            commands.add(command.group(1));
            say(out, "{\"return\": " + answer(command.group(1)) + "}\r\n");
        }
    }

    private String answer(String command) throws IOException {
        switch (command) {
            case "migrate" -> {
                migration = end;
                status = end.equals("completed") ? "postmigrate" : "running";
                try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                    channel.connect(UnixDomainSocketAddress.of(files.outgoing()));
                    channel.write(ByteBuffer.wrap(STATE.getBytes(StandardCharsets.UTF_8)));
                }
            }
            case "stop" -> status = "paused";
            case "cont" -> status = "running";
            case "query-migrate" -> {
                return "{\"status\": \"" + migration + "\", \"downtime\": 7}";
            }
            case "query-status" -> {
                return "{\"status\": \"" + status + "\"}";
            }
            default -> {
                return "{}";
            }
        }
        return "{}";
    }

    private void port(InputStream in, OutputStream out) throws IOException {
        String[] head = UnixPeer.line(in).split(" ", -1);
        in.skipNBytes(Long.parseLong(head[1]) + Long.parseLong(head[2]));
        say(out, head[0] + " " + frozen + " 0\n");
    }

    private static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private void copy(String shape) throws Exception {
        new Copier(VM, files).take(target, shape);
        commands.removeIf(command -> command.startsWith("query-") || command.equals("qmp_capabilities"));
        assertThat(target.disk()).hasContent("a disk");
        assertThat(status).isEqualTo("running");
        assertThat(files.outgoing()).doesNotExist();
    }

    private String extentsOfACopyOn(SharingFileSystem host) throws Exception {
        QemuFiles there = new QemuFiles(host.root(), files.run());
        byte[] disk = new byte[1 << 19];
        new Random(1).nextBytes(disk);
        Files.write(there.disk(), disk);
        Body.Target copy = new Body.Target(host.root().resolve("copy"), 1 << 20, target.memory(), 1 << 20);
        Files.createFile(copy.disk());

        new Copier(VM, there).take(copy, "");

        assertThat(copy.disk()).hasBinaryContent(disk);
        return host.extents(copy.disk());
    }

    @Test
    void theCopySharesItsBlocksWhereTheHostsFileSystemDoes() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.xfs()) {
            assertThat(extentsOfACopyOn(host)).contains("shared", "1 extent found");
        }
    }

    @Test
    void onBtrfsTheCopyHasBlocksOfItsOwn() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.btrfs()) {
            assertThat(extentsOfACopyOn(host)).doesNotContain("shared").contains("extent");
        }
    }

    @Test
    void memoryIsWrittenBeforeTheDiskIsCopiedAndTheMachineGoesOnAfterThat() throws Exception {
        copy(SHAPE);

        assertThat(commands).containsExactly("migrate-set-parameters", "migrate", "cont");
        assertThat(SavedState.head(target.memory()).shape()).isEqualTo(SHAPE);
        assertThat(SavedState.head(target.memory()).bytes()).isEqualTo(STATE.length());
    }

    @Test
    void aMachineOfWhichNoShapeIsKnownIsCopiedWithoutMemory() throws Exception {
        copy("");

        assertThat(commands).containsExactly("stop", "cont");
        assertThat(target.memory()).doesNotExist();
    }

    @Test
    void oneThatDoesNotFreezeIsCopiedWithoutMemory() throws Exception {
        frozen = "1";

        copy(SHAPE);

        assertThat(commands).containsExactly("stop", "cont");
        assertThat(target.memory()).doesNotExist();
    }

    @Test
    void aStateThatIsNotWrittenToItsEndIsNone() throws Exception {
        end = "failed";

        copy(SHAPE);

        assertThat(commands).containsExactly("migrate-set-parameters", "migrate", "migrate_cancel", "stop", "cont");
        assertThat(target.memory()).doesNotExist();
    }

    @Test
    void aStateForWhichThereIsNoRoomIsNone() throws Exception {
        target = target(4096 + STATE.length() - 1);

        copy(SHAPE);

        assertThat(commands).contains("migrate_cancel", "stop", "cont");
        assertThat(target.memory()).doesNotExist();
    }
}
