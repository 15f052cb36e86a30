package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.vm.GuestFiles.Penalties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of the sshd of an image. */
class SshServersTest {

    private final SshServers servers = new SshServers();

    @TempDir
    private Path folder;

    private Path image;
    private Path layer;

    @BeforeEach
    void make() throws IOException {
        image = Files.createDirectory(folder.resolve("image"));
        layer = Files.createDirectory(folder.resolve("layer"));
    }

    private void program(String content) throws IOException {
        Files.writeString(Files.createDirectories(image.resolve("usr/sbin")).resolve("sshd"), content);
    }

    @Test
    void theOptionIsLookedForInTheProgram() throws Exception {
        program("\0persourcepenalties\0");
        assertThat(servers.of(image, List.of(layer))).isEqualTo(Penalties.KNOWS_THEM);

        program("\0persourcemaxstartups\0");
        assertThat(new SshServers().of(image, List.of(layer))).isEqualTo(Penalties.KNOWS_NONE);
    }

    @Test
    void anImageIsReadOnce() throws Exception {
        program("\0persourcepenalties\0");
        servers.of(image, List.of());
        Files.delete(image.resolve("usr/sbin/sshd"));

        assertThat(servers.of(image, List.of())).isEqualTo(Penalties.KNOWS_THEM);
    }

    @Test
    void aGuestThatHasWrittenThereMayHaveAnother() throws Exception {
        program("\0persourcepenalties\0");
        Files.createSymbolicLink(layer.resolve("usr"), Path.of("nowhere"));

        assertThat(servers.of(image, List.of(layer))).isEqualTo(Penalties.UNCERTAIN);
    }

    @Test
    void noLinkOfAnImageIsFollowed() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere/sbin"));
        Files.writeString(elsewhere.resolve("sshd"), "persourcepenalties");
        Files.createSymbolicLink(image.resolve("usr"), elsewhere.getParent());
        assertThat(servers.of(image, List.of())).isEqualTo(Penalties.UNCERTAIN);

        Files.delete(image.resolve("usr"));
        Files.createSymbolicLink(
                Files.createDirectories(image.resolve("usr/sbin")).resolve("sshd"), elsewhere.resolve("sshd"));
        assertThat(new SshServers().of(image, List.of())).isEqualTo(Penalties.UNCERTAIN);
    }
}
