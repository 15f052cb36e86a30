package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a file system has left for snapshots. A part of it is kept: the disks of guests grow in it, and what has been promised
 * to them comes before copies of them.
 *
 * @param bytes what is left beyond what is kept; negative when less than that is free
 * @param files the same for inodes; the largest number where the file system does not count them
 */
record Room(long bytes, long files) {

    /** A twentieth, and no more bytes than this. */
    private static final int PART = 20;

    private static final long MOST_KEPT = 10L << 30;

    /** Less than this is none. */
    private static final long LEAST = 64L << 20;

    /** What is told of a folder's file system when the disks of guests have next to nothing left to grow in. */
    static List<String> facts(Path folder) {
        boolean full = folder.toFile().getUsableSpace() < LEAST;
        return full ? List.of(Availability.Available.DISK_FULL) : List.of();
    }

    static Room of(Path folder) throws CommandException, InterruptedException {
        return of(Command.of("stat", "--file-system", "--format=%S %a %b %d %c", "--", folder.toString())
                .run());
    }

    /** Out of the size of a block, the blocks that are free and all of them, the inodes that are free and all of them. */
    static Room of(String status) {
        String[] fields = status.strip().split(" ", -1);
        long block = Long.parseLong(fields[0]);
        long kept = Math.min(Long.parseLong(fields[2]) * block / PART, MOST_KEPT);
        long inodes = Long.parseLong(fields[4]);
        return new Room(
                Long.parseLong(fields[1]) * block - kept,
                inodes == 0 ? Long.MAX_VALUE : Long.parseLong(fields[3]) - inodes / PART);
    }

    /**
     * Requires that there is room.
     *
     * @throws VmException {@code EXHAUSTED} when there is less than so many bytes, or no inode
     */
    void require(long needed) throws VmException {
        if (bytes < needed || files <= 0) {
            throw new VmException(
                    Reason.EXHAUSTED,
                    "the disk has %d bytes and %d inodes left for snapshots (expected: %d bytes, and an inode)"
                            .formatted(Math.max(bytes, 0), Math.max(files, 0), needed));
        }
    }
}
