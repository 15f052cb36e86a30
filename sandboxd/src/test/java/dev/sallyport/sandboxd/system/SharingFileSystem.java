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
import java.util.stream.Stream;

/** A file system whose files may share blocks, in a file of its own. Skips the test where there can be none. */
public final class SharingFileSystem implements AutoCloseable {

    private static final long SIZE = 8L << 30; // of which it takes what is written

    /**
     * A script of perl that writes two files of 16 MiB, again and again: each time less of each MiB, so that an end of what it
     * wrote last stays. All but the end of the second file it frees before. Where whole extents are kept for those ends, it
     * takes 260 MiB for each of the files. Numbers of x86-64: fsync, fallocate, syncfs.
     */
    public static final String PIN = """
            use Fcntl;
            sysopen($file{$_}, $_, O_RDWR | O_CREAT | O_TRUNC) or die $! for qw(written freed);
            for my $round (0..31) { for my $name (qw(written freed)) {
              my $file = $file{$name}; my $size = 1048576 - 32768 * $round;
              for my $at (0..15) { sysseek($file, $at << 20, 0); syswrite($file, "x" x $size) == $size or die $! }
              syscall(74, fileno($file));
              next if $name eq "written";
              for my $at (0..15) { syscall(285, fileno($file), 3, $at << 20, $size - 4096) == 0 or die $! }
              syscall(306, fileno($file));
            } }""";

    private final Path parent;

    private SharingFileSystem(Path parent) {
        this.parent = parent;
    }

    /** Makes and mounts an XFS. */
    public static SharingFileSystem xfs() throws IOException, InterruptedException {
        return open("XFS", "mkfs.xfs", "-q", "-m", "reflink=1");
    }

    /** Makes and mounts a btrfs. */
    public static SharingFileSystem btrfs() throws IOException, InterruptedException {
        return open("btrfs", "mkfs.btrfs", "-q");
    }

    private static SharingFileSystem open(String name, String... make) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require(make[0], "filefrag", "mount", "umount");
        SharingFileSystem fileSystem = new SharingFileSystem(Files.createTempDirectory("svx"));
        boolean opened = false;
        try {
            fileSystem.mount(name, make);
            opened = true;
            return fileSystem;
        } finally {
            if (!opened) {
                fileSystem.remove();
            }
        }
    }

    private void mount(String name, String... make) throws IOException, InterruptedException {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
        try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "rw")) {
            file.setLength(SIZE);
        }
        Tools.run(Stream.concat(Stream.of(make), Stream.of(image().toString())).toList());
        Files.createDirectory(root());
        Process mount = new ProcessBuilder(List.of("mount", "-o", "loop", image().toString(), root().toString()))
                .redirectErrorStream(true)
                .start();
        String said = new String(mount.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(mount.waitFor() == 0, "needs a kernel that mounts " + name + ": " + said);
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
