package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What guests boot, out of packages that only look like a kernel's and busybox's. */
class KernelBuilderTest {

    private static final String RELEASE = "6.1.0-1-cloud-amd64";
    private static final String MODULES = "lib/modules/" + RELEASE + "/kernel/drivers/";

    @TempDir
    Path folder;

    private KernelStore store;

    @BeforeEach
    void open() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("dpkg-deb", "xz");
        store = KernelStore.of(
                HostSettings.of(Map.of("dir", folder.resolve("dir").toString())));
        Files.createDirectory(folder.resolve("dir"));
    }

    private Path pack(String name, Map<String, String> files) throws Exception {
        Path tree = folder.resolve(name);
        write(tree.resolve("DEBIAN/control"), """
                Package: %s
                Version: 1
                Architecture: amd64
                Maintainer: Nobody <nobody@example.com>
                Description: A package of a test.
                """.formatted(name));
        for (Map.Entry<String, String> file : files.entrySet()) {
            write(tree.resolve(file.getKey()), file.getValue());
        }
        Path compressed = tree.resolve(MODULES + "virtio_net.ko");
        if (Files.exists(compressed)) {
            Tools.run("xz", compressed.toString());
        }
        Path deb = folder.resolve(name + ".deb");
        Tools.run("dpkg-deb", "--build", tree.toString(), deb.toString());
        return deb;
    }

    private static void write(Path file, String text) throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String module(String needed) {
        return "ELF\0license=GPL\0depends=" + needed + "\0name=x\0";
    }

    private Path kernel() throws Exception {
        return pack(
                "linux-image-test",
                Map.of(
                        "boot/vmlinuz-" + RELEASE,
                        "kernel",
                        MODULES + "block/virtio_blk.ko",
                        module("virtio,virtio-ring"),
                        MODULES + "virtio/virtio.ko",
                        module(""),
                        MODULES + "virtio/virtio_ring.ko",
                        module("virtio"),
                        MODULES + "virtio_net.ko",
                        module("virtio_ring"),
                        MODULES + "gpu/drm.ko",
                        module("")));
    }

    private Map<String, String> initramfs() throws Exception {
        try (GZIPInputStream stream =
                new GZIPInputStream(Files.newInputStream(store.current().initramfs()))) {
            return CpioTest.read(stream.readAllBytes());
        }
    }

    @Test
    void modulesThatGuestsNeedAreThereInAnOrderInWhichTheyCanBeLoaded() throws Exception {
        Path busybox = pack("busybox-test", Map.of("bin/busybox", "tools"));

        assertThat(new KernelBuilder(store).build(List.of(kernel(), busybox))).isEqualTo(RELEASE);

        assertThat(store.current().release()).isEqualTo(RELEASE);
        assertThat(store.current().image()).hasContent("kernel");
        assertThat(Files.size(store.current().initramfs()) % 4).isZero();
        Map<String, String> files = initramfs();
        assertThat(files)
                .containsEntry("modules/order", "100644 virtio.ko\nvirtio_ring.ko\nvirtio_blk.ko\nvirtio_net.ko\n")
                .containsEntry("bin/busybox", "100755 tools")
                .containsEntry("modules/virtio_net.ko", "100644 " + module("virtio_ring"))
                .containsKeys("init", "guest.sh", "agent.sh", "dev/console")
                .doesNotContainKey("modules/drm.ko");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        KernelBuilder builder = new KernelBuilder(store);
        List<Path> without = List.of(kernel());
        List<Path> none = List.of(pack("busybox-test", Map.of("usr/bin/busybox", "tools")));

        assertThatThrownBy(() -> builder.build(without))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
                .hasMessageContaining("busybox-static");
        assertThatThrownBy(() -> builder.build(none))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
                .hasMessageContaining("linux-image-cloud-amd64");
        assertThat(store.isThere()).isFalse();
    }
}
