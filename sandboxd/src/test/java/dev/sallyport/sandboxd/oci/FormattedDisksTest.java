package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.system.SparseFile;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that mke2fs has made, and those that are made of what it wrote. */
class FormattedDisksTest {

    private static final long SMALL = 64 << 20;
    private static final long LARGE = 1L << 30;

    private final FormattedDisks disks = new FormattedDisks();

    @TempDir
    private Path folder;

    @BeforeEach
    void require() {
        Tools.require("mke2fs", "e2fsck", "cmp");
    }

    private Path make(String name, long bytes) throws Exception {
        Path file = Files.createFile(folder.resolve(name));
        disks.format(file, bytes);
        return file;
    }

    @Test
    void theSecondOfASizeIsAsTheFirst() throws Exception {
        for (long size : new long[] {SMALL, LARGE}) {
            Path first = make("first" + size, size);
            Path second = make("second" + size, size);

            assertThat(Tools.run("cmp", first.toString(), second.toString())).isEmpty();
            assertThat(Files.size(second)).isEqualTo(size);
            assertThat(Tools.run("e2fsck", "-fn", second.toString())).contains("11/"); // of its files, 11 are its own
        }
    }

    @Test
    void theSecondOfASizeTakesNoMoreRoom() throws Exception {
        Path first = make("first", LARGE);

        assertThat(allocated(make("second", LARGE))).isLessThanOrEqualTo(allocated(first));
    }

    private static long allocated(Path file) throws Exception {
        return Long.parseLong(Tools.run("du", "-k", file.toString()).split("\\s", 2)[0]);
    }

    @Test
    void aFileWithMoreInItThanMayBeKeptIsNotRead() throws Exception {
        Path file = Files.write(folder.resolve("file"), "something".getBytes(java.nio.charset.StandardCharsets.UTF_8));

        assertThat(SparseFile.read(file, 1 << 20)).hasSize(1);
        assertThat(SparseFile.read(file, 1)).isEmpty();
    }
}
