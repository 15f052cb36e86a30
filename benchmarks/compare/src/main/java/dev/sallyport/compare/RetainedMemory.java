package dev.sallyport.compare;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Keeps free memory of a virtual machine from going back to its hypervisor as long as it is open. Kernels report large free
 * blocks (free page reporting, virtio-balloon), and whoever uses one next waits until the hypervisor has found and cleared it
 * again, page by page: several times what the kernel itself needs. A proxy that writes a log, or has just been started,
 * would pay for that, and nobody else. So a part of the free memory is written to, and given back but for one page in each
 * MiB: no block is large enough to be reported, and the kernel prefers small blocks when it hands out pages.
 */
final class RetainedMemory implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long GIB = 1L << 30;

    /** As much as a run needs at one time, several times over. */
    private static final long WANTED = 8 * GIB;

    /** What stays free meanwhile, for everybody else. */
    private static final long SPARED = 3 * GIB;

    private static final int BLOCK = 1 << 20;
    private static final int PAGE = 4096;

    private final @Nullable FileChannel pages;
    private final long bytes;

    private RetainedMemory(@Nullable FileChannel pages, long bytes) {
        this.pages = pages;
        this.bytes = bytes;
    }

    /** Blocks, for up to half a minute. Where it cannot be done, nothing is held. */
    static RetainedMemory take() throws IOException {
        long wanted = Math.min(WANTED, available() - SPARED);
        if (!Files.isWritable(SHARED_MEMORY) || wanted < GIB) {
            return none();
        }
        FileChannel kept = temporary();
        long taken = 0;
        try (FileChannel given = temporary()) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
            while (taken < wanted) {
                write(given, block.clear().limit(BLOCK - PAGE));
                write(kept, block.clear().limit(PAGE));
                taken += BLOCK;
            }
        } catch (IOException e) { // a limit of that file system: what is written is held all the same
            System.out.println(SHARED_MEMORY + ": " + e.getMessage() + " after " + taken / BLOCK + " MiB");
        }
        return new RetainedMemory(kept, taken);
    }

    /** Holds nothing. */
    static RetainedMemory none() {
        return new RetainedMemory(null, 0);
    }

    /** For the facts of a run. */
    String told() {
        return pages == null
                ? "as the machine gives it"
                : String.format(Locale.ROOT, "%.0f GiB kept from going back to a hypervisor", (double) bytes / GIB);
    }

    private static FileChannel temporary() throws IOException {
        Path file = Files.createTempFile(SHARED_MEMORY, "sallyport-compare", "");
        return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    private static void write(FileChannel to, ByteBuffer what) throws IOException {
        while (what.hasRemaining()) {
            to.write(what);
        }
    }

    /** Of the machine, and of a container if this is in one. */
    private static long available() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
    }

    @Override
    public void close() throws IOException {
        if (pages != null) {
            pages.close();
        }
    }
}
