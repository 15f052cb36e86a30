package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A file as a block device, to be mounted while this is open. The kernel lets go of it with the last that has it open: with
 * its mount, or, before there is one, when this is closed, however the process ends. Not thread-safe.
 */
final class LoopDevice implements AutoCloseable {

    private static final Path CONTROL = Path.of("/dev/loop-control");
    private static final int O_RDWR = 2;
    private static final int O_NOFOLLOW_INTEL = 0x20000;
    private static final int O_NOFOLLOW_ARM = 0x8000;
    private static final int LOOP_CTL_GET_FREE = 0x4C82;
    private static final int LOOP_CONFIGURE = 0x4C0A;
    private static final int LOOP_GET_STATUS64 = 0x4C05;
    private static final Path DEVICES = Path.of("/sys/block");

    /** {@code struct loop_info64}, and places in it. */
    private static final int STATUS = 232;

    private static final int DEVICE_AT = 0;
    private static final int INODE_AT = 8;

    /** {@code struct loop_config}, and places in it. */
    private static final int CONFIGURATION = 304;

    private static final int FLAGS_AT = 60;
    private static final int NAME_AT = 64;
    private static final int LONGEST_NAME = 63;
    private static final int LO_FLAGS_AUTOCLEAR = 4;

    /** Another process may take the device that the kernel has named. */
    private static final int ATTEMPTS = 200;

    private final SystemCalls calls;
    private final Path path;
    private final int descriptor;

    private LoopDevice(SystemCalls calls, Path path, int descriptor) {
        this.calls = calls;
        this.path = path;
        this.descriptor = descriptor;
    }

    /**
     * Of a file, which is no link; the one that it has already where somebody still has it mounted, such as a mount namespace
     * that was made meanwhile: of two devices for one file, each would write over what the other has written.
     */
    static LoopDevice of(SystemCalls calls, Path file) throws IOException {
        LoopDevice there = find(calls, file);
        return there == null ? another(calls, file) : there;
    }

    private static @Nullable LoopDevice find(SystemCalls calls, Path file) throws IOException {
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(DEVICES, "loop*")) {
            for (Path device : devices) {
                if (isNamed(device.resolve("loop/backing_file"), file)) {
                    LoopDevice found = open(calls, Path.of("/dev").resolve(device.getFileName()), file);
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        return null;
    }

    /** Whether a device may be of a file, by what the kernel says of it: a path from wherever it was mounted then. */
    private static boolean isNamed(Path told, Path file) throws IOException {
        try {
            return Files.exists(told)
                    && Files.readString(told)
                            .contains(file.subpath(file.getNameCount() - 2, file.getNameCount())
                                    .toString());
        } catch (IOException e) {
            return false; // it was let go just now
        }
    }

    /** A device, which stays what it is while it is open; null where it is not of this file. */
    private static @Nullable LoopDevice open(SystemCalls calls, Path path, Path file) throws IOException {
        ByteBuffer status = SystemCalls.memory(STATUS);
        int descriptor;
        try {
            descriptor = calls.open(path, 0);
        } catch (SystemCallException e) {
            if (e.errno() == SystemCallException.ENXIO) {
                return null;
            }
            throw e;
        }
        boolean same = false;
        try {
            calls.makeWith("asking for the file of " + path, Call.IOCTL, descriptor, LOOP_GET_STATUS64, status);
            same = status.getLong(DEVICE_AT) == (long) Files.getAttribute(file, "unix:dev", LinkOption.NOFOLLOW_LINKS)
                    && status.getLong(INODE_AT)
                            == (long) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
            return same ? new LoopDevice(calls, path, descriptor) : null;
        } catch (SystemCallException e) {
            if (e.errno() == SystemCallException.ENXIO) {
                return null;
            }
            throw e;
        } finally {
            if (!same) {
                calls.close(descriptor);
            }
        }
    }

    private static LoopDevice another(SystemCalls calls, Path file) throws SystemCallException {
        int backing = calls.open(file, O_RDWR | (calls.isArm() ? O_NOFOLLOW_ARM : O_NOFOLLOW_INTEL));
        try {
            int control = calls.open(CONTROL, O_RDWR);
            try {
                return of(calls, file, backing, control);
            } finally {
                calls.close(control);
            }
        } finally {
            calls.close(backing);
        }
    }

    private static LoopDevice of(SystemCalls calls, Path file, int backing, int control) throws SystemCallException {
        for (int attempt = 1; ; attempt++) {
            long number = calls.make("a loop device for " + file, Call.IOCTL, control, LOOP_CTL_GET_FREE, 0);
            Path path = Path.of("/dev/loop" + number);
            int descriptor = calls.open(path, O_RDWR);
            boolean configured = false;
            try {
                calls.makeWith(
                        path + " for " + file, Call.IOCTL, descriptor, LOOP_CONFIGURE, configuration(file, backing));
                configured = true;
                return new LoopDevice(calls, path, descriptor);
            } catch (SystemCallException e) {
                if (e.errno() != SystemCallException.EBUSY || attempt == ATTEMPTS) {
                    throw e;
                }
            } finally {
                if (!configured) {
                    calls.close(descriptor);
                }
            }
        }
    }

    private static ByteBuffer configuration(Path file, int backing) {
        byte[] name = file.toString().getBytes(StandardCharsets.UTF_8);
        return SystemCalls.memory(CONFIGURATION)
                .putInt(0, backing)
                .putInt(FLAGS_AT, LO_FLAGS_AUTOCLEAR)
                .put(NAME_AT, Arrays.copyOf(name, Math.min(name.length, LONGEST_NAME)));
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws SystemCallException {
        calls.close(descriptor);
    }
}
