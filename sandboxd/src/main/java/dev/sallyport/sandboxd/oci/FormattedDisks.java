package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.SparseFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disks with an empty ext4. What mke2fs writes into one of a size is kept in memory, less than a megabyte for a gigabyte, and
 * written into the next one of that size, without the program and without waiting for the disk, on which it is a second
 * later.
 *
 * <p>Disks of one size have the same UUID and the same secret of the hashes of names, then, as those of machines that are
 * copies of one disk: nothing looks for them by it, guests do not see it, and who can choose names with equal hashes slows
 * down a disk of its own. Thread-safe.
 */
final class FormattedDisks {

    /** What is kept at most: for several sizes, in bytes for each. */
    private static final int MOST_SIZES = 8;

    private static final long MOST_BYTES = 16 << 20;

    /** When whoever made it with others has done so; the kernel by itself would wait for half a minute. */
    private static final int LATER_SECONDS = 1;

    private static final Logger LOG = LoggerFactory.getLogger(FormattedDisks.class);

    private final Map<Long, List<SparseFile.Part>> known = new LinkedHashMap<>();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sandboxd-disks").factory());

    /**
     * Makes one in a file that is empty.
     *
     * @param bytes its size
     */
    void format(Path file, long bytes) throws IOException, CommandException, InterruptedException {
        List<SparseFile.Part> parts = known(bytes);
        if (parts == null) {
            make(file, bytes);
            keep(bytes, SparseFile.read(file, MOST_BYTES));
        } else {
            write(file, bytes, parts);
            later.schedule(() -> sync(file), LATER_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The power may fail before the kernel would write it by itself. */
    private static void sync(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(false);
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone", file);
        } catch (IOException e) {
            LOG.warn("{} may not be on the disk yet: {}", file, e.toString());
        }
    }

    private synchronized @Nullable List<SparseFile.Part> known(long bytes) {
        return known.get(bytes);
    }

    private synchronized void keep(long bytes, List<SparseFile.Part> parts) {
        if (!parts.isEmpty()) {
            known.put(bytes, parts);
            if (known.size() > MOST_SIZES) {
                known.remove(known.keySet().iterator().next());
            }
        }
    }

    private static void make(Path file, long bytes) throws IOException, CommandException, InterruptedException {
        try (RandomAccessFile empty = new RandomAccessFile(file.toFile(), "rw")) {
            empty.setLength(bytes);
        }
        Command.of(
                        "mke2fs",
                        "-q",
                        "-F",
                        "-t",
                        "ext4",
                        "-m",
                        "0",
                        "-J",
                        "size=4",
                        "-E",
                        "lazy_itable_init=1,lazy_journal_init=1",
                        "--",
                        file.toString())
                .run();
    }

    private static void write(Path file, long bytes, List<SparseFile.Part> parts) throws IOException {
        try (RandomAccessFile empty = new RandomAccessFile(file.toFile(), "rw")) {
            empty.setLength(bytes);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (SparseFile.Part part : parts) {
                ByteBuffer content = part.content();
                for (long at = part.offset(); content.hasRemaining(); ) {
                    at += channel.write(content, at);
                }
            }
        }
    }
}
