package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A pipe for what a program writes whose end is not the last of those who write. It has a name and is held open here: opening
 * it waits for nobody, and no thread of Java's reads it to its end, as one does with the pipes of a {@link Process} that has
 * ended, which somebody who writes without a pause would keep busy and fill the memory with. For one thread.
 */
final class NamedPipe implements AutoCloseable {

    private static final int AT_FDCWD = -100;
    private static final int S_IFIFO = 0x1000;
    private static final int OWNERS_ALONE = 0x180;

    private final Path path;
    private final RandomAccessFile held;
    private final FileInputStream stream;

    private NamedPipe(Path path, RandomAccessFile held, FileInputStream stream) {
        this.path = path;
        this.held = held;
        this.stream = stream;
    }

    /** Makes one; what is there is replaced. */
    static NamedPipe make(Path path) throws IOException {
        Files.deleteIfExists(path);
        Calls.open()
                .makeWith(
                        "making the pipe " + path,
                        Call.MKNODAT,
                        AT_FDCWD,
                        SystemCalls.text(path.toString()),
                        S_IFIFO | OWNERS_ALONE,
                        0);
        RandomAccessFile held = new RandomAccessFile(path.toFile(), "rw");
        try {
            return new NamedPipe(path, held, new FileInputStream(path.toFile()));
        } catch (IOException e) {
            held.close();
            throw e;
        }
    }

    File file() {
        return path.toFile();
    }

    /** What was written; who asks what is {@link InputStream#available} does not wait. */
    InputStream stream() {
        return stream;
    }

    @Override
    public void close() throws IOException {
        try (held;
                stream) {
            Files.deleteIfExists(path);
        }
    }
}
