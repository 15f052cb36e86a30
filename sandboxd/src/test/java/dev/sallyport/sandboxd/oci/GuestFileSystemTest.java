package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of a guest, and how its layers are mounted as one. */
class GuestFileSystemTest {

    private static final int PAGE = 4096;

    @Test
    void asManyLayersAsThereMayBeFitIntoThePageOfAMount() throws Exception {
        HostSettings settings = HostSettings.of(Map.of());
        VmId id = new VmId("vm_" + "a".repeat(26));
        ContainerFiles files = ContainerFiles.of(settings, id, settings.vms().resolve(id.value()));
        List<Path> lower = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            lower.add(settings.layers().resolve("f".repeat(64)).resolve("rootfs"));
        }
        lower.add(settings.images().resolve("f".repeat(64)).resolve("rootfs"));

        String options = new GuestFileSystem(files, IdRange.DEFAULT, new FormattedDisks())
                .options(
                        lower,
                        files.mountedDisk().resolve("upper"),
                        files.mountedDisk().resolve("work"));

        assertThat(options)
                .startsWith("redirect_dir=off,metacopy=off,index=off,lowerdir=" + files.guestLayer() + ":")
                .hasSizeLessThan(PAGE);
        assertThat(options.split(":", -1)).hasSize(18);
    }

    @Test
    void aFailedMountSaysWhatOfAndWhereAndLeavesNothing(@TempDir Path home) throws Exception {
        assumeTrue(CommonNeeds.isRoot() && Files.exists(Path.of("/dev/loop-control")), "needs root and loop devices");
        Tools.require("mke2fs", "losetup");
        ContainerFiles files = new ContainerFiles(home, home.resolve("run"));
        GuestFileSystem fileSystem = new GuestFileSystem(files, IdRange.DEFAULT, new FormattedDisks());
        Files.write(files.disk(), new byte[1 << 20]);
        assertThatIOException()
                .isThrownBy(() -> fileSystem.mount(List.of(home)))
                .withMessageContaining("of type ext4 at " + files.mountedDisk())
                .withMessageContaining("EINVAL");
        Files.delete(files.disk());
        fileSystem.makeDisk(MountedDisk.SIZE);
        assertThatIOException()
                .isThrownBy(() -> fileSystem.mount(List.of(home.resolve("nothing"))))
                .withMessageContaining("of type overlay at " + files.root())
                .withMessageContaining("ENOENT");

        fileSystem.unmount();

        assertThat(Mounts.under(home)).isEmpty();
        assertThat(Tools.run("losetup", "-n", "-O", "BACK-FILE")).doesNotContain(home.toString());
    }

    /** Such as in a container that is made at the same moment: two devices of one file would write over each other. */
    @Test
    void aDiskThatIsStillMountedElsewhereIsMountedByTheSameDevice(@TempDir Path home) throws Exception {
        assumeTrue(CommonNeeds.isRoot() && Files.exists(Path.of("/dev/loop-control")), "needs root and loop devices");
        Tools.require("losetup", "unshare");
        try (MountedDisk disk = MountedDisk.make(home)) {
            Process elsewhere = new ProcessBuilder("unshare", "--mount", "sh", "-c", "echo ready; exec cat").start();
            try {
                assertThat(elsewhere.inputReader().readLine()).isEqualTo("ready");
                disk.fileSystem().unmount();

                disk.fileSystem().mount(List.of(home.resolve("image")));

                assertThat(Files.readAllBytes(disk.files().root().resolve("file")))
                        .isEqualTo(disk.content());
                assertThat(Tools.run(
                                        "losetup",
                                        "--associated",
                                        disk.files().disk().toString())
                                .lines())
                        .hasSize(1);
            } finally {
                elsewhere.destroyForcibly().waitFor();
            }
        }
        assertThat(Tools.run("losetup", "-n", "-O", "BACK-FILE")).doesNotContain(home.toString());
    }

    @Test
    void onBtrfsADiskTakesNoMoreThanItsSizeHoweverItIsWritten() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.btrfs()) {
            long before = host.free();
            try (MountedDisk disk =
                    MountedDisk.make(Files.createDirectory(host.root().resolve("vm")))) {
                Tools.run("env", "--chdir=" + disk.files().root(), "perl", "-e", SharingFileSystem.PIN);

                assertThat(before - host.free()).isLessThan(MountedDisk.SIZE * 5L / 4);
            }
        }
    }
}
