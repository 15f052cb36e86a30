package dev.sallyport.sandboxd.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The mounts of this process's namespace. */
public final class Mounts {

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

    /** Unmounts all that is mounted at a path or below it. */
    public static void unmountUnder(Path root) throws IOException, CommandException, InterruptedException {
        for (Path point : under(root)) {
            unmount(point);
        }
    }

    /** The kernel lets go of the files of a process a little after the process has ended. */
    private static void unmount(Path point) throws CommandException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                Command.of("umount", "--", point.toString()).run();
                return;
            } catch (CommandException e) {
                if (attempt == ATTEMPTS || !e.getMessage().contains("busy")) {
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
