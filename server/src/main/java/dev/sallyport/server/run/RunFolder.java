package dev.sallyport.server.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The folders with the files of one run, deleted at its end: an open one, which everybody may read, and in which nothing
 * is secret; and a closed one, which in a namespace of its own the program does not see.
 */
final class RunFolder implements AutoCloseable {

    private static final String READABLE = "rw-r--r--";

    private final Path open;
    private final Path closed;

    private RunFolder(Path open, Path closed) {
        this.open = open;
        this.closed = closed;
    }

    static RunFolder create() throws IOException {
        Path open = Files.createTempDirectory("sallyport-run-");
        // A program that runs as root may go on as somebody else, as APT does.
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path closed = Files.createTempDirectory("sallyport-run-");
        return new RunFolder(open.toRealPath(), closed.toRealPath());
    }

    /** The open folder. */
    Path path() {
        return open;
    }

    /** The closed folder. */
    Path closed() {
        return closed;
    }

    /** Writes a file into the open folder that everybody may read, and nobody else may write, whatever the umask. */
    Path write(String name, String text) throws IOException {
        return write(name, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The same for bytes. */
    Path write(String name, byte[] bytes) throws IOException {
        Path file = open.resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, bytes);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(READABLE));
        return file;
    }

    /**
     * Deletes what is in there, also what the program put there, without following a link of it. What cannot be deleted
     * stays.
     */
    @Override
    public void close() throws IOException {
        delete(open);
        delete(closed);
    }

    /** Deletes a folder with everything in it, following no link. What cannot be deleted stays. */
    static void delete(Path folder) throws IOException {
        try {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                if (entries instanceof SecureDirectoryStream<Path> secure) {
                    empty(secure);
                }
            }
            Files.deleteIfExists(folder);
        } catch (FileSystemException | DirectoryIteratorException e) {
            return; // a program that still runs in the background, or that took the rights away, keeps its files
        }
    }

    private static void empty(SecureDirectoryStream<Path> folder) throws IOException {
        for (Path entry : folder) {
            delete(folder, entry.getFileName());
        }
    }

    private static void delete(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        try {
            boolean isFolder = folder.getFileAttributeView(
                            name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory();
            if (isFolder) {
                try (SecureDirectoryStream<Path> inner = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    empty(inner);
                }
                folder.deleteDirectory(name);
            } else {
                folder.deleteFile(name);
            }
        } catch (FileSystemException e) {
            return; // somebody else was faster, or it stays
        }
    }
}
