package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program behind {@code sallyport run --isolate netns} cannot reach: docs/run.md. */
class RunConfinementIT {

    private static final String CONNECT = """
            import socket, sys
            for path in sys.argv[1:]:
                s = socket.socket(socket.AF_UNIX)
                try:
                    s.connect(path)
                    print('connected')
                except OSError as e:
                    print(type(e).__name__)
            """;

    /** TCP_LISTEN, as the kernel's tables have it. */
    private static final String LISTEN = "0A";

    @TempDir
    private Path folder;

    @BeforeEach
    void everybody() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private static ServerSocketChannel listen(Path path) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
        return channel;
    }

    @Test
    @Tag("long")
    void names_of_sockets_and_links_add_nothing_to_what_is_mounted() throws Exception {
        Path secret = folder.resolve("mounted-by-a-name");
        Files.writeString(secret, "as it was");
        Path replacement = Files.writeString(folder.resolve("replacement"), "replaced");
        String line = "x\nbind\t" + secret + "\t" + replacement + "\nmask\t";
        Path shared = Path.of("/tmp/.X11-unix");
        boolean made = !Files.exists(shared);
        if (made) {
            Files.createDirectory(shared);
        }
        Path link = shared.resolve("sallyport-test\nbind\t" + secret.getFileName());
        Files.createSymbolicLink(link, Path.of("x\nbind\t" + secret + "\t" + replacement + "\nfile\t/tmp/x"));
        // Each part of the name is a folder of its own, so that the whole is a path that a line could carry.
        Path named = folder.resolve(line.substring(0, line.indexOf('/')));
        Files.createDirectories(named);
        try (ServerSocketChannel outside = listen(named.resolve("s"))) {
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(Map.of(), List.of(), "cat", secret.toString());

                assertThat(ended.out()).as(ended.err()).isEqualTo("as it was");
                assertThat(ended.err()).contains("could not be located");
            }
        } finally {
            Files.delete(link);
            if (made) {
                Files.delete(shared);
            }
        }
    }

    @Test
    @Tag("long")
    void a_socket_that_was_renamed_or_that_only_a_variable_names_is_masked() throws Exception {
        Path renamed = folder.resolve("renamed.sock");
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path agent = elsewhere.resolve("agent.sock");
        try (ServerSocketChannel one = listen(folder.resolve("before.sock"));
                ServerSocketChannel other = listen(folder.resolve("moved.sock"))) {
            Files.move(folder.resolve("before.sock"), renamed);
            Files.move(folder.resolve("moved.sock"), agent);
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(
                        Map.of("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + agent + ",guid=1"),
                        List.of(),
                        "python3",
                        "-c",
                        CONNECT,
                        renamed.toString(),
                        agent.toString(),
                        "renamed.sock");

                assertThat(ended.out()).as(ended.err()).isEqualTo("ConnectionRefusedError\n".repeat(3));
                assertThat(ended.err())
                        .contains(
                                "could not be located",
                                folder.resolve("moved.sock").toString());
            }
        }
    }

    @Test
    void a_socket_is_masked_wherever_its_folder_is_mounted_too() throws Exception {
        assumeTrue(Runs.isRoot(), "mounts");
        Path real = Files.createDirectory(folder.resolve("real"));
        Path second = Files.createDirectory(folder.resolve("second"));
        assumeTrue(shell("mount --bind " + real + " " + second) == 0, "mounts");
        try (ServerSocketChannel outside = listen(real.resolve("s"))) {
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(
                        Map.of(),
                        List.of(),
                        "python3",
                        "-c",
                        CONNECT,
                        real.resolve("s").toString(),
                        second.resolve("s").toString());

                assertThat(ended.out()).as(ended.err()).isEqualTo("ConnectionRefusedError\n".repeat(2));
            }
        } finally {
            shell("umount " + second);
        }
    }

    @Test
    void a_working_folder_that_is_masked_is_refused() throws Exception {
        assumeTrue(Runs.isRoot(), "makes a folder in /run");
        Path masked = Files.createTempDirectory(Path.of("/run"), "sallyport-test-");
        try (ServerSocketChannel outside = listen(masked.resolve("s"))) {
            Runs.Ended ended = new Runs(masked, "netns", false).run(Map.of(), List.of(), "python3", "-c", CONNECT, "s");

            assertThat(ended.out()).as(ended.err()).isEmpty();
            assertThat(ended.err()).contains("the working folder is masked: " + masked);
            assertThat(ended.code()).isEqualTo(2);
        } finally {
            try (Stream<Path> files = Files.list(masked)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(masked);
        }
    }

    @Tag("long")
    @Test
    void a_working_folder_that_is_made_anew_where_it_was_masked_is_refused() throws Exception {
        assumeTrue(Runs.isRoot(), "makes folders in /run");
        Path runtime = Files.createTempDirectory(Path.of("/run"), "sallyport-test-");
        Path other = Files.createDirectory(folder.resolve("runtime"));
        Path shared = Path.of("/tmp/.X11-unix");
        boolean made = !Files.exists(shared);
        if (made) {
            Files.createDirectory(shared);
        }
        try {
            for (Path working : List.of(Path.of("/run"), runtime, other, shared)) {
                Runs.Ended ended = new Runs(folder, "netns", false)
                        .runAfter(
                                "cd " + working,
                                Map.of("XDG_RUNTIME_DIR", (working.equals(other) ? other : runtime).toString()),
                                List.of(),
                                "pwd");

                assertThat(ended.out()).as("%s: %s", working, ended.err()).isEmpty();
                assertThat(ended.err()).contains("the working folder is masked: " + working);
                assertThat(ended.code()).isEqualTo(2);
            }
        } finally {
            Files.delete(runtime);
            if (made) {
                Files.delete(shared);
            }
        }
    }

    @Test
    void system_calls_that_no_namespace_confines_are_refused() throws Exception {
        String calls = """
                import ctypes, errno, fcntl, os, pty, socket
                pid, terminal = pty.fork()
                if pid == 0:
                    for request in (0x5412, 0x541c):
                        try:
                            fcntl.ioctl(0, request, b'x')
                            print('typed', flush=True)
                        except OSError as e:
                            print(errno.errorcode[e.errno], flush=True)
                    os._exit(0)
                said = b''
                while True:
                    try:
                        more = os.read(terminal, 100)
                    except OSError:
                        break
                    if not more:
                        break
                    said += more
                print(said.decode().split())
                for family in (40, 31, 44):
                    try:
                        socket.socket(family, socket.SOCK_STREAM)
                        print('a socket')
                    except OSError as e:
                        print(errno.errorcode[e.errno])
                libc = ctypes.CDLL(None, use_errno=True)
                print(libc.syscall(425, 1, None), errno.errorcode[ctypes.get_errno()])
                """;
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(Map.of(), List.of(), "python3", "-c", calls);

            assertThat(ended.out()).as(ended.err()).isEqualTo("""
                    ['EPERM', 'EPERM']
                    EAFNOSUPPORT
                    EAFNOSUPPORT
                    EAFNOSUPPORT
                    -1 ENOSYS
                    """);
        }
    }

    @Test
    void nothing_listens_on_the_machines_own_loopback() throws Exception {
        assumeTrue(Runs.isRoot(), "looks at the sockets of another process");
        for (Runs runs : Runs.namespaces(folder)) {
            Path out = folder.resolve("listens.txt");
            Files.writeString(out, "");
            Process process = runs.start(
                    Map.of(), List.of(), out, folder.resolve("listens.err"), "sh", "-c", "echo ready; sleep 60");
            try {
                Awaitility.await().until(() -> Files.readString(out).contains("ready"));

                assertThat(listening(process.pid())).as(runs.toString()).isEmpty();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    /** The numbers of the process's sockets that listen in the network namespace of this one. */
    private static Set<String> listening(long process) throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/" + process + "/fd"))) {
            for (Path file : files.toList()) {
                own.add(Files.readSymbolicLink(file).toString());
            }
        }
        Set<String> found = new HashSet<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/net/" + table))) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns[3].equals(LISTEN) && own.contains("socket:[" + columns[9] + "]")) {
                    found.add(table + " " + columns[1]);
                }
            }
        }
        return found;
    }

    @Tag("long")
    @Test
    void the_kernels_settings_stay_and_other_processes_are_nowhere() throws Exception {
        Path proc = Files.createDirectory(folder.resolve("proc"));
        boolean mounted = Runs.isRoot() && shell("mount -t proc proc " + proc) == 0;
        try {
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(
                        Map.of(),
                        List.of(),
                        "sh",
                        "-c",
                        "echo 1 2>/dev/null >/proc/sys/kernel/sysrq || echo closed;"
                                + " grep -q ' /proc/sys proc ro,' /proc/mounts && echo read-only; ls "
                                + proc
                                + " | wc -l; touch /sys/fs/cgroup/x 2>/dev/null || echo no cgroup; ls /sys/fs/cgroup | wc -l");

                assertThat(ended.out())
                        .as("%s: %s", runs, ended.err())
                        .matches("closed\nread-only\n0\nno cgroup\n[1-9]\\d*\n");
            }
        } finally {
            if (mounted) {
                shell("umount " + proc);
            }
        }
    }

    private static int shell(String command) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
    }

    @Test
    @Tag("long")
    void message_queues_and_shared_memory_of_outside_are_nowhere() throws Exception {
        String outside = """
                import ctypes, os, sys
                libc = ctypes.CDLL(None, use_errno=True)
                key = int(sys.argv[1])
                os.umask(0)
                if sys.argv[2] == 'make':
                    print(libc.msgget(key, 0o1666) >= 0, libc.shmget(key, 4096, 0o1666) >= 0)
                elif sys.argv[2] == 'find':
                    print(libc.msgget(key, 0) >= 0, libc.shmget(key, 0, 0) >= 0)
                else:
                    libc.msgctl(libc.msgget(key, 0), 0, None)
                    libc.shmctl(libc.shmget(key, 0, 0), 0, None)
                """;
        Path script = Files.writeString(folder.resolve("queues.py"), outside);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rw-r--r--"));
        String call = "python3 " + script + " "
                + (0x5a110000 + ProcessHandle.current().pid() % 0x10000) + " ";
        Path queues = Files.createDirectory(folder.resolve("mqueue"));
        boolean mounted =
                Runs.isRoot() && shell("mount -t mqueue mqueue " + queues + " && : >" + queues + "/test") == 0;
        assertThat(shell(call + "make")).isZero();
        try {
            assertThat(shell("[ \"$(" + call + "find)\" = 'True True' ]")).isZero();
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(Map.of(), List.of(), "sh", "-c", call + "find; ls " + queues);

                assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("False False\n");
            }
        } finally {
            shell(call + "remove");
            if (mounted) {
                shell("rm " + queues + "/test; umount " + queues);
            }
        }
    }

    @Test
    void root_may_serve_on_a_port_below_1024() throws Exception {
        assumeTrue(Runs.isRoot(), "needs root");
        Runs.Ended ended = new Runs(folder, "netns", false)
                .run(
                        Map.of(),
                        List.of(),
                        "python3",
                        "-c",
                        "import socket; s = socket.socket(); s.bind(('127.0.0.1', 25)); s.listen(); print('serves')");

        assertThat(ended.out()).as(ended.err()).isEqualTo("serves\n");
    }
}
