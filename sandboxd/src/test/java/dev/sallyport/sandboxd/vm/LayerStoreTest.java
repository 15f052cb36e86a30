package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.oci.Archives;
import dev.sallyport.sandboxd.oci.TreeForm;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layers, of which each is what its hash says. */
class LayerStoreTest {

    @TempDir
    Path temporary;

    private Path folder;
    private Path archive;
    private LayerStore store;

    @BeforeEach
    void open() throws Exception {
        folder = Files.createDirectory(temporary.resolve("layers"));
        store = anotherProcess();
        archive = archive("first");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private LayerStore anotherProcess() throws Exception {
        return new LayerStore(
                folder,
                group(),
                new TreeForm(),
                new LayerStore.Reading(Executors.newSingleThreadExecutor(), Duration.ofSeconds(60)));
    }

    private int group() throws Exception {
        return (Integer) Files.getAttribute(temporary, "unix:gid");
    }

    private Path archive(String text) throws Exception {
        Path tree = Files.createDirectory(temporary.resolve("tree of " + text));
        for (int i = 0; i < 20; i++) {
            Files.writeString(tree.resolve("file" + i), text + i);
        }
        Path file = Files.createFile(temporary.resolve(text + ".tar"));
        Archives.write(tree, List.of(), file, 1 << 20);
        return file;
    }

    private Layer add(String name) throws Exception {
        try (LayerStore.Unpacked unpacked = store.unpack(name, archive);
                Pins.Pin pin = store.pin(List.of(unpacked.layer().digest()))) {
            unpacked.keep();
            return unpacked.layer();
        }
    }

    private static String name(Layer layer) {
        return layer.digest().substring("sha256:".length());
    }

    @Test
    void theSameContentIsTheSameLayer() throws Exception {
        Layer layer = add("a");

        assertThat(add("b")).isEqualTo(layer);

        TrashTest.await(folder, List.of(name(layer)));
        store.verify(List.of(layer.digest()));
        assertThat(store.root(layer.digest()).resolve("file7")).hasContent("first7");
    }

    @Test
    void manySmallFilesTakeABlockEach() throws Exception {
        assertThat(add("a").sizeBytes()).as("20 files and a folder").isEqualTo(21 * 4096);
    }

    @Test
    void whatOnlyHasTheNameOfALayerIsPutAsideAndMadeAgain() throws Exception {
        Layer layer = add("a");
        store.close();
        for (int i = 0; i < 10; i++) {
            Files.delete(store.root(layer.digest()).resolve("file" + i));
        }
        store = anotherProcess();

        assertThatThrownBy(() -> store.verify(List.of(layer.digest())))
                .isInstanceOf(VmException.class)
                .hasMessageContaining("damaged");
        assertThat(add("b")).isEqualTo(layer);

        store.verify(List.of(layer.digest()));
        assertThat(store.root(layer.digest()).resolve("file7")).hasContent("first7");
        assertThat(store.removeOthers(() -> Set.of(layer.digest()), true)).isEmpty();
        assertThat(TrashTest.names(folder))
                .as("a guest may run from what was put aside")
                .anyMatch(name -> name.startsWith(".bad-" + name(layer)));
        assertThat(store.removeOthers(Set::of, true)).hasSize(2);
        TrashTest.await(folder, List.of());
    }

    @Test
    void aPinnedLayerStaysAndNobodyWaitsForIt() throws Exception {
        Layer layer = add("a");

        try (Pins.Pin pin = store.pin(List.of(layer.digest()))) {
            store.pin(List.of(layer.digest())).close();
            assertThat(store.removeOthers(Set::of, false)).isEmpty();
            store.verify(List.of(layer.digest()));
        }

        assertThat(store.removeOthers(Set::of, false)).containsExactly(name(layer));
        assertThat(store.root(layer.digest())).doesNotExist();
        assertThatThrownBy(() -> store.verify(List.of(layer.digest()))).isInstanceOf(VmException.class);
    }

    @Test
    void whoeverNeedsALayerThatIsStillBeingReadIsTurnedAwayAndTheReadingGoesOn() throws Exception {
        Layer layer = add("a");
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService reader = Executors.newSingleThreadExecutor();
        reader.execute(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try (LayerStore other =
                new LayerStore(folder, group(), new TreeForm(), new LayerStore.Reading(reader, Duration.ZERO))) {
            for (int i = 0; i < 2; i++) {
                try (Pins.Pin pin = other.pin(List.of(layer.digest()))) {
                    assertThatThrownBy(() -> other.verify(List.of(layer.digest())))
                            .isInstanceOfSatisfying(
                                    VmException.class,
                                    e -> assertThat(e.reason()).isEqualTo(Reason.PREPARING));
                }
                assertThat(other.removeOthers(Set::of, false))
                        .as("it is being read")
                        .isEmpty();
            }

            go.countDown();
            reader.shutdown();
            assertThat(reader.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();

            other.verify(List.of(layer.digest()));
            assertThat(other.removeOthers(Set::of, false)).containsExactly(name(layer));
        }
    }

    @Test
    void whatWasBeingUnpackedGoesWithItsSnapshotOrAtTheNextStart() throws Exception {
        for (String name : List.of("a", "b")) {
            Files.writeString(
                    Files.createDirectories(folder.resolve(".new-" + name + "/rootfs"))
                            .resolve("file"),
                    "half");
        }

        store.discard("a");
        store.discard("a");
        TrashTest.await(folder, List.of(".new-b"));
        assertThat(store.removeOthers(Set::of, false)).isEmpty();
        assertThat(store.removeOthers(Set::of, true)).containsExactly(".new-b");

        TrashTest.await(folder, List.of());
    }

    @Test
    void anArchiveThatCannotBeUnpackedLeavesNothing() throws Exception {
        Files.writeString(archive, "no archive");

        assertThatThrownBy(() -> store.unpack("a", archive)).hasMessageContaining("tar");

        TrashTest.await(folder, List.of());
    }
}
