package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which UNIX sockets a run knows of: docs/run.md. */
class UnixSocketsTest {

    @TempDir
    private Path temporary;

    private Path folder;

    @BeforeEach
    void linux() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/net/unix")), "needs Linux");
        folder = temporary.toRealPath();
    }

    private static ServerSocketChannel listen(Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    private static UnixSockets.Found find(Map<String, String> environment, List<Path> masked) throws IOException {
        return UnixSockets.find(environment, masked, MountTable.read());
    }

    @Test
    void a_socket_is_found_by_the_kernels_list_beside_it_and_by_a_variable() throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        try (ServerSocketChannel listed = listen(folder.resolve("listed"));
                ServerSocketChannel renamed = listen(folder.resolve("before"));
                ServerSocketChannel moved = listen(folder.resolve("moved"))) {
            Files.move(folder.resolve("before"), folder.resolve("after"));
            Files.move(folder.resolve("moved"), elsewhere.resolve("agent"));
            Map<String, String> environment =
                    Map.of("SSH_AUTH_SOCK", elsewhere.resolve("agent").toString());

            UnixSockets.Found found = find(environment, List.of());

            assertThat(found.located())
                    .contains(folder.resolve("listed"), folder.resolve("after"), elsewhere.resolve("agent"));
            assertThat(found.unlocated())
                    .contains(
                            folder.resolve("before").toString(),
                            folder.resolve("moved").toString())
                    .doesNotContain(folder.resolve("listed").toString());
        }
    }

    @Test
    void forms_of_addresses_in_variables() throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        for (String name : List.of("docker", "wayland-0", "gpg", "bus")) {
            listen(folder.resolve(name)).close();
            Files.move(folder.resolve(name), elsewhere.resolve(name));
        }

        UnixSockets.Found found = find(
                Map.of(
                        "DOCKER_HOST", "unix://" + elsewhere.resolve("docker"),
                        "XDG_RUNTIME_DIR", elsewhere.toString(),
                        "WAYLAND_DISPLAY", "wayland-0",
                        "GPG_AGENT_INFO", elsewhere.resolve("gpg") + ":123:1",
                        "DBUS_SESSION_BUS_ADDRESS", "unix:path=" + elsewhere.resolve("bus") + ",guid=0;tcp:host=x"),
                List.of());

        assertThat(found.located())
                .contains(
                        elsewhere.resolve("docker"),
                        elsewhere.resolve("wayland-0"),
                        elsewhere.resolve("gpg"),
                        elsewhere.resolve("bus"));
    }

    @Test
    void what_cannot_be_masked_is_said() throws Exception {
        Path odd = folder.resolve("odd\tname\n");
        try (ServerSocketChannel first = listen(odd);
                ServerSocketChannel second = listen(folder.resolve("linked"))) {
            Files.createLink(folder.resolve("link"), folder.resolve("linked"));

            UnixSockets.Found found = find(Map.of(), List.of());

            assertThat(found.located()).doesNotContain(odd).contains(folder.resolve("link"), folder.resolve("linked"));
            assertThat(found.unlocated()).contains(odd.toString(), "other names of " + folder.resolve("linked"));
        }
    }

    @Test
    void a_link_leads_out_of_a_masked_folder() throws Exception {
        Path masked = Files.createDirectory(folder.resolve("masked"));
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path link = Files.createSymbolicLink(masked.resolve("link"), outside);
        try (ServerSocketChannel kept = listen(link.resolve("kept"));
                ServerSocketChannel renamed = listen(link.resolve("before"));
                ServerSocketChannel inside = listen(masked.resolve("inside"))) {
            Files.move(outside.resolve("before"), outside.resolve("after"));

            UnixSockets.Found found = find(Map.of(), List.of(masked));

            assertThat(found.located())
                    .contains(outside.resolve("kept"), outside.resolve("after"))
                    .noneMatch(socket -> socket.startsWith(masked));
            assertThat(found.unlocated())
                    .contains(link.resolve("before").toString())
                    .noneMatch(name -> name.endsWith("/inside"));
        }
    }

    @Test
    void a_link_of_run_is_looked_through() throws Exception {
        assumeTrue(Files.isWritable(Masks.RUN), "makes a link in /run");
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path link =
                Masks.RUN.resolve("sallyport-test-" + ProcessHandle.current().pid());
        try (ServerSocketChannel moved = listen(folder.resolve("moved"))) {
            Files.move(folder.resolve("moved"), elsewhere.resolve("hidden"));
            Files.createSymbolicLink(link, elsewhere.resolve("hidden"));

            UnixSockets.Found found = find(Map.of(), List.of(Masks.RUN));

            assertThat(found.located()).contains(elsewhere.resolve("hidden"));
        } finally {
            Files.deleteIfExists(link);
        }
    }

    @Test
    void what_is_no_socket_stays() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        try (ServerSocketChannel socket = listen(folder.resolve("socket"))) {
            Files.delete(folder.resolve("socket"));
            Files.createSymbolicLink(folder.resolve("socket"), file);

            UnixSockets.Found found = find(Map.of("FILE", file.toString()), List.of());

            assertThat(found.located()).doesNotContain(file, folder.resolve("socket"));
        }
    }
}
