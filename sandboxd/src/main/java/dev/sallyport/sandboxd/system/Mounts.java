package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The mounts of this process's namespace. Its functions block as the kernel does, for any number of threads. */
public final class Mounts {

    /** A mount on which no program gains rights by its file. */
    public static final int NO_SETUID = 2;

    /** A mount on which no file is a device. */
    public static final int NO_DEVICES = 4;

    /** A mount from which no program is run. */
    public static final int NO_PROGRAMS = 8;

    private static final int UMOUNT_NOFOLLOW = 8;
    private static final int CLONE_NEWNS = 0x20000;
    private static final int MS_BIND = 0x1000;
    private static final int MS_REC = 0x4000;
    private static final int MS_SLAVE = 0x80000;
    private static final String EMPTY = "/dev/null";
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int POINT = 4;
    private static final int ATTEMPTS = 40;
    private static final Duration PAUSE = Duration.ofMillis(25);

    private Mounts() {}

    /** What is mounted at a path or below it, the last mount first. */
    public static List<Path> under(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String line : Files.readAllLines(TABLE)) {
            Path point = Path.of(unescaped(line.split(" ", -1)[POINT]));
            if (point.startsWith(root)) {
                found.add(point);
            }
        }
        Collections.reverse(found);
        return found;
    }

    /** The type of the file system that is mounted at a path; empty for none. */
    public static String typeAt(Path path) throws IOException {
        String type = "";
        for (String line : Files.readAllLines(TABLE)) {
            if (Path.of(unescaped(line.split(" ", -1)[POINT])).equals(path)) {
                String[] ends = line.substring(line.indexOf(" - ") + 3).split(" ", -1);
                type = ends[0];
            }
        }
        return type;
    }

    /**
     * Mounts ext4 that is in a file; the file may lose its name then.
     *
     * @param flags some of those below
     * @param options those of ext4, with commas between them
     */
    public static void image(Path file, Path point, int flags, String options) throws IOException {
        SystemCalls calls = Calls.open();
        try (LoopDevice device = LoopDevice.of(calls, file)) {
            mount(calls, device.path().toString(), point, "ext4", flags, options);
        }
    }

    /**
     * Mounts several folders as one.
     *
     * @param flags some of those below
     * @param options those of overlayfs, with commas between them: less than a page
     */
    public static void overlay(Path point, int flags, String options) throws IOException {
        mount(Calls.open(), "overlay", point, "overlay", flags, options);
    }

    private static void mount(SystemCalls calls, String source, Path point, String type, int flags, String options)
            throws SystemCallException {
        calls.makeWith(
                "mounting %s of type %s at %s (the kernel's log may say more)".formatted(source, type, point),
                Call.MOUNT,
                SystemCalls.text(source),
                SystemCalls.text(point.toString()),
                SystemCalls.text(type),
                flags,
                SystemCalls.text(options));
    }

    /**
     * Gives a thread, and what it begins, mounts of their own, in which a file is empty. What becomes of mounts elsewhere
     * becomes of these.
     *
     * @param calls those of the thread, which does not come back
     */
    static void emptyApart(SystemCalls calls, Path file) throws SystemCallException {
        calls.make("making a mount namespace", Call.UNSHARE, CLONE_NEWNS);
        change(calls, "", Path.of("/"), MS_SLAVE | MS_REC);
        change(calls, EMPTY, file, MS_BIND);
    }

    private static void change(SystemCalls calls, String source, Path point, int flags) throws SystemCallException {
        calls.makeWith(
                "mounting at " + point,
                Call.MOUNT,
                SystemCalls.text(source),
                SystemCalls.text(point.toString()),
                SystemCalls.text("none"),
                flags,
                0);
    }

    /** Unmounts all that is mounted at a path or below it. */
    public static void unmountUnder(Path root) throws IOException, InterruptedException {
        for (Path point : under(root)) {
            unmount(point);
        }
    }

    /** The kernel lets go of the files of a process a little after the process has ended. */
    private static void unmount(Path point) throws IOException, InterruptedException {
        SystemCalls calls = Calls.open();
        for (int attempt = 1; ; attempt++) {
            try {
                calls.makeWith(
                        "unmounting " + point, Call.UMOUNT2, SystemCalls.text(point.toString()), UMOUNT_NOFOLLOW);
                return;
            } catch (SystemCallException e) {
                if (attempt == ATTEMPTS || e.errno() != SystemCallException.EBUSY) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    /** The kernel writes a space, a tab, a newline and a backslash as three octal digits. */
    private static String unescaped(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
