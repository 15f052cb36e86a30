package dev.sallyport.it.control;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file system of a limited size, in a file of its own, which can be filled to its last block. */
final class SmallDisk implements AutoCloseable {

    private final Path parent = Files.createTempDirectory("svd");

    /** Makes and mounts one; skips the test where that is not possible. */
    SmallDisk(long bytes) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("mke2fs", "mount", "umount", "dd");
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
        try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "rw")) {
            file.setLength(bytes);
        }
        Tools.run("mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", image().toString());
        Files.createDirectory(mounted());
        Tools.run("mount", "-o", "loop", image().toString(), mounted().toString());
        Files.createDirectory(folder());
        for (Path each : new Path[] {mounted(), folder()}) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    private Path image() {
        return parent.resolve("image");
    }

    private Path mounted() {
        return parent.resolve("mounted");
    }

    private Path filler() {
        return mounted().resolve("filler");
    }

    /** A folder in it. */
    Path folder() {
        return mounted().resolve("folder");
    }

    /** Takes all that is left, but for so many KiB. */
    void fill(int left) throws IOException, InterruptedException {
        Path spare = mounted().resolve("spare");
        Tools.run("dd", "if=/dev/zero", "of=" + spare, "bs=1024", "count=" + left, "conv=fsync", "status=none");
        for (String size : new String[] {"1M", "4k"}) {
            Tools.run(
                    "sh",
                    "-c",
                    "! dd if=/dev/zero of=" + filler() + " bs=" + size
                            + " oflag=append conv=notrunc,fsync status=none 2> /dev/null");
        }
        Files.delete(spare);
    }

    /** Gives it back. */
    void free() throws IOException {
        Files.delete(filler());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        Tools.run("umount", mounted().toString());
        Tools.run("rm", "-rf", "--one-file-system", "--", parent.toString());
    }
}
