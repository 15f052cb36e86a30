package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel that guests boot. */
class KernelStoreTest {

    @TempDir
    Path folder;

    @Test
    void theLastOneIsTheOneThatGuestsBoot() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        KernelStore store = KernelStore.of(HostSettings.of(Map.of("dir", folder.toString())));
        assertThat(store.isThere()).isFalse();
        assertThatThrownBy(store::current)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("sallyport sandbox kernel build");
        Path image = Files.writeString(folder.resolve("image"), "kernel");

        store.add("6.1.0-1", image, new byte[] {1, 2, 3, 4});
        store.add("6.1.0-2", image, new byte[] {5, 6, 7, 8});

        assertThat(store.isThere()).isTrue();
        KernelStore.Kernel kernel = store.current();
        assertThat(kernel.release()).isEqualTo("6.1.0-2");
        assertThat(kernel.image()).hasContent("kernel");
        assertThat(kernel.initramfs()).hasBinaryContent(new byte[] {5, 6, 7, 8});
        assertThatThrownBy(() -> store.add("../x", image, new byte[4])).isInstanceOf(IOException.class);
    }

    @Test
    void itsDigestIsThatOfWhatBootsAndChangesWithIt() throws Exception {
        KernelStore store = KernelStore.of(HostSettings.of(Map.of("dir", folder.toString())));
        KernelStore.Kernel kernel =
                new KernelStore.Kernel("6.1.0-1", folder.resolve("vmlinuz"), folder.resolve("initramfs"));
        Files.writeString(kernel.image(), "kernel");
        Files.writeString(kernel.initramfs(), "files");
        String before = store.digest(kernel);

        assertThat(before).matches("[0-9a-f]{64}").isEqualTo(store.digest(kernel));
        Files.writeString(kernel.initramfs(), "more files");
        assertThat(store.digest(kernel)).isNotEqualTo(before);
    }
}
