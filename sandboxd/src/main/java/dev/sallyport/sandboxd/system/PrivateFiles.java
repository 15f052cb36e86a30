package dev.sallyport.sandboxd.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Files and folders of this process. Folders may be passed through by guests' root, because its file system lies below. */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x---");
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_ALONE = PosixFilePermissions.asFileAttribute(
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

    private static final String UNFINISHED = ".new";

    private PrivateFiles() {}

    /**
     * Makes a folder, with those above it, that only the owner lists and one group may pass through.
     *
     * @param group the group's number
     * @throws IOException also when something else than a folder is there, a symbolic link to one included, or when it is
     *     somebody else's
     */
    public static void folder(Path path, int group) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PASSABLE));
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is no folder");
        }
        Object owner = Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (!owner.equals(self)) {
            throw new IOException(path + " belongs to user " + owner + " (expected: " + self + ")");
        }
        pass(path, group);
    }

    /** Gives a folder of this process's own the group that may pass through it. */
    public static void pass(Path path, int group) throws IOException {
        Files.setAttribute(path, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
        Files.setPosixFilePermissions(path, PASSABLE);
    }

    /** Makes an empty file that from its first moment on only the owner may read and write. */
    public static void create(Path file) throws IOException {
        Files.createFile(file, OWNERS_ALONE);
    }

    /**
     * Writes a file that only the owner may read, all of it or nothing, and not before it is on the disk. Until then its
     * name begins with a dot.
     */
    public static void write(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same, with bytes. */
    public static void write(Path file, byte[] content) throws IOException {
        write(file, content, true);
    }

    /**
     * The same, and does not wait for the disk: for what is of no use any more after the machine's end, however that comes.
     */
    public static void writeUntilBoot(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8), false);
    }

    private static void write(Path file, byte[] content, boolean lasting) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName() + UNFINISHED);
        Files.deleteIfExists(fresh);
        boolean written = false;
        try {
            fill(fresh, content, lasting);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            written = true;
        } finally {
            if (!written) {
                Files.deleteIfExists(fresh);
            }
        }
    }

    private static void fill(Path fresh, byte[] content, boolean lasting) throws IOException {
        create(fresh);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (lasting) {
                channel.force(true);
            }
        }
    }

    /** Removes what processes that were killed had begun to {@link #write} in a folder. Nobody may be writing there. */
    public static void removeUnfinished(Path folder) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, ".*" + UNFINISHED)) {
            for (Path fresh : left) {
                Files.delete(fresh);
            }
        }
    }

    /**
     * Removes a folder with a few files of this process's own, without following a link or entering another file system, and
     * without running a program. Nothing being there is no error.
     *
     * @throws IOException also where something is mounted in it
     */
    public static void deleteFolder(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.walkFileTree(path, new Removal(device(path)));
        }
    }

    private static Object device(Path path) throws IOException {
        return Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }

    /** Removes what is in one file system. */
    private static final class Removal extends SimpleFileVisitor<Path> {

        private final Object device;

        Removal(Object device) {
            this.device = device;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            if (!device(folder).equals(device)) {
                throw new IOException(folder + " is in another file system");
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
        }
    }

    /** Removes a tree of this process's own, without following a link or entering another file system. */
    public static void deleteTree(Path path) throws CommandException, InterruptedException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            removal(path).run();
        }
    }

    /** The same for one that takes longer than 30 seconds. */
    public static void deleteTree(Path path, Duration limit) throws CommandException, InterruptedException {
        removal(path).within(limit).run();
    }

    private static Command removal(Path path) {
        return Command.of("rm", "-rf", "--one-file-system", "--", path.toString());
    }

    /** Whether the file is there, and no link. */
    public static boolean isFile(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isRegularFile();
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
