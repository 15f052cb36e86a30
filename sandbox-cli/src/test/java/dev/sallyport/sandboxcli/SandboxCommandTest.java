package dev.sallyport.sandboxcli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.Tools;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport sandbox}, from its arguments to its exit code. */
class SandboxCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    @BeforeEach
    void letGuestsPass() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    }

    private int run(String... arguments) throws InterruptedException {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new SandboxCommand()
                .run(List.of(arguments), new TestContext(out, err, PluginCatalog.of(List.of(), List.of(), List.of())));
    }

    private Path archive(String content) throws Exception {
        Path root = Files.createDirectories(folder.resolve("source/usr/sbin"));
        Files.writeString(root.resolve("sshd"), content);
        Path file = folder.resolve("image.tar.gz");
        Tools.run("tar", "-C", folder.resolve("source").toString(), "-czf", file.toString(), ".");
        return file;
    }

    private void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("unshare", "nsenter", "tar");
    }

    @Test
    void bothCommandsAreFound() {
        assertThat(ServiceLoader.load(Subcommand.class).stream()
                        .map(provider -> provider.get().name()))
                .contains("sandbox", "sandboxd");
    }

    @Test
    void anArchiveIsAnImageOnce() throws Exception {
        requireRoot();
        String store = folder.resolve("store").toString();

        assertThat(run("image", "build", "one", "--from", archive("x").toString(), "--dir", store))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).startsWith("one  sha256:");
        String line = out.toString().replaceFirst("^one", "two");
        assertThat(run(
                        "image",
                        "build",
                        "two",
                        "--from",
                        folder.resolve("image.tar.gz").toString(),
                        "--dir",
                        store))
                .isZero();
        assertThat(out).hasToString(line);
        assertThat(run("image", "list", "--dir", store)).isZero();
        assertThat(out.toString().lines()).hasSize(2);
    }

    @Test
    void whatNothingRefersToIsPruned() throws Exception {
        requireRoot();
        String store = folder.resolve("store").toString();
        run("image", "build", "one", "--from", archive("x").toString(), "--dir", store);
        String first = out.toString().split("  ", -1)[1];
        run("image", "build", "one", "--from", archive("y").toString(), "--dir", store);

        assertThat(run("image", "prune", "--dir", store)).isZero();
        assertThat(out).hasToString("removed " + first + "\n");
        assertThat(run("image", "prune", "--all", "--dir", store)).isZero();
        run("image", "list", "--dir", store);
        assertThat(out).hasToString("");
    }

    @Test
    void anArchiveWithoutAnSshdIsRefused() throws Exception {
        requireRoot();
        Path file = folder.resolve("empty.tar");
        Files.createDirectories(folder.resolve("nothing/etc"));
        Tools.run("tar", "-C", folder.resolve("nothing").toString(), "-cf", file.toString(), ".");

        assertThat(run(
                        "image",
                        "build",
                        "one",
                        "--from",
                        file.toString(),
                        "--dir",
                        folder.resolve("s").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("has no /usr/sbin/sshd");
        assertThat(run("image", "list", "--dir", folder.resolve("s").toString()))
                .isZero();
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anArchiveWritesNowhereElse() throws Exception {
        requireRoot();
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path root = Files.createDirectories(folder.resolve("source/usr/sbin"))
                .getParent()
                .getParent();
        Files.writeString(root.resolve("usr/sbin/sshd"), "x");
        Files.createSymbolicLink(root.resolve("a"), outside);
        Path file = folder.resolve("evil.tar");
        Tools.run("tar", "-C", root.toString(), "-cf", file.toString(), "./usr", "./a");
        Files.delete(root.resolve("a"));
        Files.createDirectory(root.resolve("a"));
        Files.writeString(root.resolve("a/planted"), "x");
        Tools.run("tar", "-C", root.toString(), "-rf", file.toString(), "./a/planted");

        run(
                "image",
                "build",
                "one",
                "--from",
                file.toString(),
                "--dir",
                folder.resolve("store").toString());

        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void wrongUsageSaysWhatWasExpected() throws Exception {
        assertThat(run("image", "build")).isEqualTo(2);
        assertThat(err.toString())
                .contains("missing required parameter: 'NAME'")
                .contains("expected:");
        assertThat(run("image", "build", "../x", "--from", "x")).isEqualTo(2);
        assertThat(err.toString()).contains("not the name of an image");
        assertThat(run("paint")).isEqualTo(2);
    }

    @Test
    void helpIsThere() throws Exception {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: sallyport sandbox").contains("image");
        assertThat(run("image", "--help")).isZero();
        assertThat(out.toString()).contains("build", "list", "prune");
    }

    /** With the network, from which mmdebstrap has the packages; half a minute. */
    @Test
    void whatIsMistypedIsNamed() throws Exception {
        String store = folder.resolve("store").toString();
        String nowhere = folder.resolve("nowhere").toString();

        assertThat(run("image", "list", "--dir", nowhere)).isEqualTo(1);
        assertThat(err).hasToString("sallyport: " + nowhere + ": no such folder (expected: that of sandboxd)\n");
        assertThat(run("image", "build", "one", "--from", nowhere, "--dir", store))
                .isEqualTo(1);
        assertThat(err)
                .hasToString(
                        "sallyport: " + nowhere + ": no such file (expected: a tar file with a root file system)\n");
        assertThat(run("image", "build", "Upper", "--from", nowhere, "--dir", store))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("sallyport: name Upper: not the name of an image (expected: ")
                .doesNotContain("--help");
        assertThat(folder.resolve("nowhere")).doesNotExist();
    }

    @Test
    @Tag("long")
    void anImageIsMadeOfDebianAndHasWhatGuestsNeed() throws Exception {
        requireRoot();
        Tools.require("mmdebstrap");
        String dir = folder.resolve("dir").toString();

        assertThat(run("image", "build", "debian-12", "--include", "rsync", "--dir", dir))
                .as(err.toString())
                .isZero();

        String digest = out.toString().split(" +", -1)[1];
        assertThat(digest).startsWith("sha256:");
        Path root = Path.of(dir, "images", digest.substring("sha256:".length()), "rootfs");
        assertThat(List.of("sshd", "rsync", "git", "curl", "openssl"))
                .allSatisfy(program -> assertThat(
                                List.of(root.resolve("usr/bin/" + program), root.resolve("usr/sbin/" + program)))
                        .anyMatch(Files::isExecutable));
        assertThat(root.resolve("etc/ssl/certs/ca-certificates.crt")).isNotEmptyFile();

        assertThat(run("image", "build", "debian-12", "--include", "rsync;id", "--dir", dir))
                .isNotZero();
        assertThat(run("image", "list", "--dir", dir)).isZero();
        assertThat(out.toString()).contains(digest);
        assertThat(run("image", "prune", "--all", "--dir", dir)).isZero();
        assertThat(root).doesNotExist();
    }
}
