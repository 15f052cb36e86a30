package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trees that nothing needs any more. */
class TrashTest {

    @TempDir
    Path folder;

    static List<String> names(Path folder) throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    /** For at most 30 seconds. */
    static void await(Path folder, List<String> expected) throws Exception {
        for (int i = 0; i < 3_000 && !names(folder).equals(expected); i++) {
            Thread.sleep(10);
        }
        assertThat(names(folder)).isEqualTo(expected);
    }

    private Path tree(String name) throws Exception {
        Path tree = folder.resolve(name);
        Files.writeString(Files.createDirectories(tree.resolve("a/b")).resolve("file"), "text");
        return tree;
    }

    private static int chattr(String change, Path file) throws Exception {
        return new ProcessBuilder("chattr", change, file.toString())
                .redirectErrorStream(true)
                .start()
                .waitFor();
    }

    @Test
    void aTreeHasNoNameAnyMoreWhenItIsTakenAndIsRemovedThen() throws Exception {
        try (Trash trash = new Trash(folder)) {
            Path tree = tree("tree");

            trash.take(tree);

            assertThat(tree).doesNotExist();
            await(folder, List.of());
            trash.take(tree);
        }
    }

    @Test
    void whatIsLeftOfBeforeIsRemovedAndNothingElse() throws Exception {
        tree(".old-1");
        tree("tree");
        try (Trash trash = new Trash(folder)) {
            trash.takeRemains();

            await(folder, List.of("tree"));
        }
    }

    @Test
    void oneThatCannotBeRemovedHoldsUpNoOtherAndIsTriedAgain() throws Exception {
        Path stubborn = tree(".old-stubborn");
        Path file = stubborn.resolve("a/b/file");
        assumeTrue(chattr("+i", file) == 0, "needs root and a file system with attributes");
        try (Trash trash = new Trash(folder)) {
            try {
                trash.takeRemains();
                trash.take(tree("other"));
                await(folder, List.of(".old-stubborn"));
            } finally {
                chattr("-i", file);
            }
            for (int i = 0; i < 3_000 && Files.exists(stubborn); i++) {
                trash.takeRemains();
                Thread.sleep(10);
            }
            assertThat(stubborn).doesNotExist();
        }
    }
}
