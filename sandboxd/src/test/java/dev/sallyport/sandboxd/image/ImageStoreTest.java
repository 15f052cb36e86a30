package dev.sallyport.sandboxd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images and their names, as files. */
class ImageStoreTest {

    private static final String HASH = "0a".repeat(32);

    @TempDir
    Path folder;

    private ImageStore store;

    @BeforeEach
    void open() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        store = new ImageStore(folder.resolve("images"), IdRange.DEFAULT);
        Files.createDirectories(folder.resolve("images").resolve(HASH).resolve("rootfs"));
        Files.writeString(
                folder.resolve("images").resolve(HASH).resolve("image.json"),
                "{\"size_bytes\":1,\"created_at\":\"2026-01-01T00:00:00Z\"}");
    }

    private void name(String name) throws Exception {
        Files.writeString(folder.resolve("images/names").resolve(name), HASH + "\n");
    }

    private List<String> names() throws Exception {
        return store.list().stream().map(Image::name).map(ImageName::value).toList();
    }

    @Test
    void everyNameIsListedWhateverItsLastLetter() throws Exception {
        name("arrow");
        name("w");
        name("x");
        name("debian-12");

        assertThat(names()).containsExactly("arrow", "debian-12", "w", "x");
    }

    @Test
    void whatIsNoNameIsPassedOver() throws Exception {
        name("a");
        Files.writeString(folder.resolve("images/names/.b.new"), "half");
        Files.writeString(folder.resolve("images/names/C~"), "a copy of an editor's");

        assertThat(names()).containsExactly("a");
    }

    @Test
    void aNameKeepsItsImage() throws Exception {
        name("arrow");

        assertThat(store.prune(Set.of(), false)).isEmpty();
        assertThat(store.root("sha256:" + HASH)).isDirectory();
    }

    @Test
    void onlyGuestsPassThroughTheFolders() throws Exception {
        for (String path : List.of("images", "images/names")) {
            assertThat(Files.getAttribute(folder.resolve(path), "unix:gid")).isEqualTo(IdRange.DEFAULT.base());
            assertThat((int) Files.getAttribute(folder.resolve(path), "unix:mode") & 0777)
                    .isEqualTo(0710);
        }
    }
}
