package dev.sallyport.sandboxd.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** An XFS whose files may share blocks, in a file of its own. Skips the test where there can be none. */
public final class SharingFileSystem implements AutoCloseable {

    private static final long SIZE = 8L << 30; // of which it takes what is written

    private final Path parent;

    private SharingFileSystem(Path parent) {
        this.parent = parent;
    }

    /** Makes and mounts it. */
    public static SharingFileSystem open() throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("mkfs.xfs", "filefrag", "mount", "umount");
        SharingFileSystem fileSystem = new SharingFileSystem(Files.createTempDirectory("svx"));
        boolean opened = false;
        try {
            fileSystem.mount();
            opened = true;
            return fileSystem;
        } finally {
            if (!opened) {
                fileSystem.remove();
            }
        }
    }

    private void mount() throws IOException, InterruptedException {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
        try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "rw")) {
            file.setLength(SIZE);
        }
        Tools.run("mkfs.xfs", "-q", "-m", "reflink=1", image().toString());
        Files.createDirectory(root());
        Process mount = new ProcessBuilder(List.of("mount", "-o", "loop", image().toString(), root().toString()))
                .redirectErrorStream(true)
                .start();
        String said = new String(mount.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(mount.waitFor() == 0, "needs a kernel that mounts XFS: " + said);
    }

    private Path image() {
        return parent.resolve("image");
    }

    /** Where it is mounted. */
    public Path root() {
        return parent.resolve("root");
    }

    /** Where on the disk the parts of a file are, and which of them are {@code shared}; after all is written. */
    public String extents(Path file) throws IOException, InterruptedException {
        write();
        return Tools.run("filefrag", "-v", file.toString());
    }

    /** How many bytes no file has, after all is written. */
    public long free() throws IOException, InterruptedException {
        write();
        return Files.getFileStore(root()).getUnallocatedSpace();
    }

    private void write() throws IOException, InterruptedException {
        Tools.run("sync", "--file-system", root().toString());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        Tools.run("umount", root().toString());
        remove();
    }

    private void remove() throws IOException {
        Files.deleteIfExists(root());
        Files.deleteIfExists(image());
        Files.deleteIfExists(parent);
    }
}
