package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Trees of guests as archives, by tar, with all that overlayfs needs of them: devices 0:0 in the place of what was deleted,
 * and folders that hide what lies below. tar follows no link; as root, because nobody else reads and writes {@code trusted}
 * attributes.
 *
 * <p>What overlayfs notes about the place that a file came from is left out: it is of no use anywhere else. Times of reading
 * are, too, and names are in order, so that the same tree is the same archive.
 */
public final class Archives {

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
    private static final Duration LONGEST_WORK = Duration.ofMinutes(15);

    /** tar holds the names of a whole folder in memory, those of all folders above a file, and all files with hard links. */
    private static final long MEMORY = 1L << 30;

    /** What a file takes of most file systems when anything is in it. */
    private static final long BLOCK = 4096;

    private static final List<String> WHOLE = List.of(
            "--numeric-owner",
            "--acls",
            "--xattrs",
            "--xattrs-include=*",
            "--xattrs-exclude=trusted.overlay.origin",
            "--xattrs-exclude=trusted.overlay.impure",
            "--xattrs-exclude=trusted.overlay.nlink",
            "--xattrs-exclude=trusted.overlay.upper",
            "--xattrs-exclude=trusted.overlay.uuid");

    private static final List<String> ALWAYS_THE_SAME = List.of(
            "--create",
            "--format=posix",
            "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
            "--sort=name",
            "--sparse",
            "--sparse-version=0.0", // later ones put the number of tar's process into a name
            "--one-file-system");

    private Archives() {}

    /**
     * Writes a tree that nobody changes into a file, for 60 seconds at most.
     *
     * @param without paths that are left out
     * @param file is empty
     * @param most how large the file may become, in bytes: hard links and long names make it larger than the tree
     * @throws CommandException that says {@code tooLarge} when it would become larger
     */
    public static void write(Path tree, List<String> without, Path file, long most)
            throws CommandException, InterruptedException {
        List<String> tar = create(tree);
        tar.add("--anchored");
        tar.add("--no-wildcards");
        without.forEach(path -> tar.add("--exclude=./" + path));
        tar.add("--file=" + file);
        tar.add(".");
        Command.of(tar).within(LONGEST_PAUSE).modestly(MEMORY).writing(most).run();
    }

    /** Unpacks an archive that {@link #write} made into an empty folder, and returns when all of it is on the disk. */
    static void unpack(Path file, Path tree) throws CommandException, InterruptedException {
        List<String> tar = new ArrayList<>(List.of("tar", "--extract", "--directory=" + tree, "--file=" + file));
        tar.addAll(WHOLE);
        tar.addAll(List.of("--same-owner", "--preserve-permissions", "--delay-directory-restore"));
        Command.of(tar).within(LONGEST_WORK).modestly(MEMORY).run();
        Command.of("sync", "--file-system", "--", tree.toString())
                .within(LONGEST_WORK)
                .run();
    }

    /** How much of a disk a tree takes that is as large as an archive as this says: many small files take more. */
    static Layer onDisk(Layer archive, Path tree) throws CommandException, InterruptedException {
        String count = Command.of("du", "--inodes", "--summarize", "--one-file-system", "--", tree.toString())
                .within(LONGEST_WORK)
                .modestly(MEMORY)
                .run();
        long files = Long.parseLong(count.substring(0, count.indexOf('\t')));
        return new Layer(archive.digest(), Math.max(archive.sizeBytes(), files * BLOCK));
    }

    /** What a tree is as an archive. */
    static Layer measure(Path tree) throws CommandException, InterruptedException {
        MessageDigest digest = sha256();
        List<String> tar = create(tree);
        tar.add("--file=-");
        tar.add(".");
        long size = Command.of(tar)
                .within(LONGEST_WORK)
                .modestly(MEMORY)
                .run(stream -> new DigestInputStream(stream, digest).transferTo(OutputStream.nullOutputStream()));
        return new Layer("sha256:" + HexFormat.of().formatHex(digest.digest()), size);
    }

    private static List<String> create(Path tree) {
        List<String> tar = new ArrayList<>(List.of("tar", "--directory=" + tree));
        tar.addAll(ALWAYS_THE_SAME);
        tar.addAll(WHOLE);
        return tar;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
