package dev.sallyport.control.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files and folders that their owner alone can read. All methods block. */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    private PrivateFiles() {}

    /**
     * Makes a file with mode 0600, for writing.
     *
     * @throws java.nio.file.FileAlreadyExistsException when there is one
     */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(FILE));
    }

    /** As {@link #create}; the file stays empty. */
    public static void createEmpty(Path file) throws IOException {
        create(file).close();
    }

    /** Makes a folder with mode 0700. */
    public static void createFolder(Path folder) throws IOException {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(FOLDER));
    }

    /** Gives a file the owner, group and mode of another; fails where this user may not. */
    public static void copyAccess(Path from, Path to) throws IOException {
        copyOwner(from, to);
        Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    }

    /** Gives a file the owner and group of another file or folder; fails where this user may not. */
    public static void copyOwner(Path from, Path to) throws IOException {
        PosixFileAttributes wanted = Files.readAttributes(from, PosixFileAttributes.class);
        PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
        PosixFileAttributes present = view.readAttributes();
        if (!present.owner().equals(wanted.owner())) {
            view.setOwner(wanted.owner());
        }
        if (!present.group().equals(wanted.group())) {
            view.setGroup(wanted.group());
        }
    }

    /** Gives a file mode 0600. */
    public static void restrict(Path file) throws IOException {
        Files.setPosixFilePermissions(file, FILE);
    }

    /** Whether another user than the owner may read, write or enter a file or folder. */
    public static boolean isOpenToOthers(Path file) throws IOException {
        return !FOLDER.containsAll(Files.getPosixFilePermissions(file));
    }

    /** Makes the name of a file outlive a failure of power. */
    public static void forceName(Path file) throws IOException {
        try (FileChannel folder = FileChannel.open(file.resolveSibling("."), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
