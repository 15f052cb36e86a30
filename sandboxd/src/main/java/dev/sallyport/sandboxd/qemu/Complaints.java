package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file of what a QEMU complains of. A guest that misuses a device has it complain, as often as the guest likes, and the
 * limit of a process for the size of its files is one for all of them: that of the disk. So the complaints stand at the end of
 * a file which is as large as that, without a little; what comes before them takes no room.
 *
 * @param file which
 * @param limit for all files of the process, in bytes
 */
record Complaints(Path file, long limit) {

    static final int MOST = 64 * 1024;

    private static final int LONGEST = 1000;

    /** Makes it anew, for a process that appends to it. */
    void clear() throws IOException {
        Files.deleteIfExists(file);
        PrivateFiles.create(file);
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(limit - MOST);
        }
    }

    /** The first of them, as a line. */
    String read() throws IOException {
        try (InputStream stream = Files.newInputStream(file)) {
            stream.skipNBytes(limit - MOST);
            return new String(stream.readNBytes(LONGEST), StandardCharsets.UTF_8)
                    .strip()
                    .replace('\n', ' ');
        }
    }
}
