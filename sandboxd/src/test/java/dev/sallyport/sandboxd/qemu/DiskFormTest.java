package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Layer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layers that are disks. */
class DiskFormTest {

    @TempDir
    Path folder;

    @Test
    void aLayerIsWhatWasCapturedAndNothingIsCopied() throws Exception {
        Path captured = Files.writeString(folder.resolve("content"), "abc");
        DiskForm form = new DiskForm();
        Path place = folder.resolve(form.name());

        Layer layer = form.make(captured, place);

        assertThat(layer)
                .isEqualTo(new Layer("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3));
        assertThat(Files.isSameFile(captured, place)).isTrue();
        assertThat(form.is(layer.digest(), place)).isTrue();
        Files.writeString(captured, "abd");
        assertThat(form.is(layer.digest(), place)).isFalse();
        assertThat(form.is(layer.digest(), folder.resolve("nothing"))).isFalse();
    }
}
