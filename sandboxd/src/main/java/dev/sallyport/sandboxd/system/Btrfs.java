package dev.sallyport.sandboxd.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system that keeps an extent for as long as one block of it is in use. It writes a block that is written again to
 * another place, so that who writes all of a file but its end, again and again, takes many times its size; and so does who
 * frees all but an end, or what is shared with a copy. Disks of guests are therefore written in place on it, and neither freed
 * in parts nor shared: then a disk takes no more than its size.
 */
public final class Btrfs {

    private Btrfs() {}

    /** Whether a file lies on one. */
    public static boolean has(Path file) throws IOException {
        return Files.getFileStore(file).type().equals("btrfs");
    }

    /** Has a file that lies on one, and is empty, written in place. */
    public static void writeInPlace(Path file) throws CommandException, InterruptedException {
        Command.of("chattr", "+C", "--", file.toString()).run();
    }
}
