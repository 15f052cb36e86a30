package dev.sallyport.sandboxd.image;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Images on this machine, as {@code HASH/rootfs}, with names that point to them. An archive is unpacked once, by tar, which
 * follows no link of the archive's, as a process that is nobody outside of its user namespace. Were tar misled, that process
 * could write to files of guests' users, which other images have too, and to what everybody may write to; to nothing else.
 *
 * <p>Other processes use the same folder: {@link #hold} keeps images from being removed.
 */
public final class ImageStore {

    private static final Duration LONGEST_UNPACKING = Duration.ofMinutes(30);
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final String DIGEST_PREFIX = "sha256:";
    private static final int MAGIC = 6;

    private final Path folder;
    private final IdRange ids;
    private final FolderLock lock;

    /** What the caller may not lose. */
    public interface Hold extends AutoCloseable {

        @Override
        void close() throws IOException;
    }

    /**
     * In a folder, which is made when it is missing.
     *
     * @param ids whom the files belong to
     */
    public ImageStore(Path folder, IdRange ids) throws IOException {
        this.folder = folder;
        this.ids = ids;
        this.lock = new FolderLock(folder.resolve("lock"));
        PrivateFiles.folder(folder, ids.base());
        PrivateFiles.folder(folder.resolve("names"), ids.base());
    }

    /** The image that a name points to; null for none. */
    public @Nullable Image find(ImageName name) throws IOException {
        try {
            return read(
                    name,
                    Files.readString(folder.resolve("names").resolve(name.value()))
                            .strip());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** The images that have names, by name. */
    public List<Image> list() throws IOException {
        List<Image> all = new ArrayList<>();
        try (DirectoryStream<Path> names = Files.newDirectoryStream(folder.resolve("names"))) {
            for (Path file : names) {
                String name = file.getFileName().toString();
                Image image = ImageName.isValid(name) ? find(new ImageName(name)) : null;
                if (image != null) {
                    all.add(image);
                }
            }
        }
        all.sort(Comparator.comparing(image -> image.name().value()));
        return all;
    }

    /** The root of an image's file system. */
    public Path root(String digest) {
        return folder.resolve(hash(digest)).resolve("rootfs");
    }

    /** Keeps {@link #prune} of every process waiting until it is closed, by the thread that made it. */
    public Hold hold() throws IOException {
        return lock.shared();
    }

    /** Keeps all other users of the folder waiting until it is closed, by the thread that made it; for {@link #prune}. */
    public Hold holdAlone() throws IOException {
        return lock.exclusive();
    }

    /**
     * Brings in an archive, and points a name to it. One that was brought in before is not unpacked again.
     *
     * @param archive a tar file of a root file system with an sshd, as it is or compressed by gzip, xz or zstd
     * @throws VmException {@code INVALID} when it is none
     */
    public Image add(ImageName name, Path archive) throws IOException, VmException, InterruptedException {
        String hash = hashOf(archive);
        if (!Files.isDirectory(folder.resolve(hash), LinkOption.NOFOLLOW_LINKS)) {
            hash = unpack(archive);
        }
        PrivateFiles.write(folder.resolve("names").resolve(name.value()), hash + "\n");
        return read(name, hash);
    }

    private String unpack(Path archive) throws IOException, VmException, InterruptedException {
        Path fresh = Files.createTempDirectory(folder, ".new");
        try {
            PrivateFiles.pass(fresh, ids.base());
            Path root = Files.createDirectory(fresh.resolve("rootfs"));
            Files.setAttribute(root, "unix:uid", ids.base());
            Files.setAttribute(root, "unix:gid", ids.base());
            String hash = unpack(archive, root);
            if (!Files.exists(root.resolve("usr/sbin/sshd"), LinkOption.NOFOLLOW_LINKS)) {
                throw new VmException(
                        Reason.INVALID,
                        archive + " has no /usr/sbin/sshd (expected: a root file system with OpenSSH's server)");
            }
            PrivateFiles.write(
                    fresh.resolve("image.json"),
                    Lines.object()
                            .put("size_bytes", Files.size(archive))
                            .put("created_at", Instant.now().toString())
                            .toString());
            try (Hold alone = holdAlone()) {
                if (!Files.exists(folder.resolve(hash))) {
                    Files.move(fresh, folder.resolve(hash), StandardCopyOption.ATOMIC_MOVE);
                }
            }
            return hash;
        } catch (CommandException e) {
            throw new VmException(
                    e.noSpace() ? Reason.EXHAUSTED : Reason.INVALID,
                    archive + " cannot be unpacked: " + e.getMessage(),
                    e);
        } finally {
            delete(fresh);
        }
    }

    /** Returns the hash of what was unpacked, which a file that somebody changes meanwhile does not have any more. */
    private String unpack(Path archive, Path root) throws IOException, CommandException, InterruptedException {
        MessageDigest digest = sha256();
        List<String> tar = new ArrayList<>(List.of(
                "tar",
                "--directory=" + root,
                "--extract",
                "--numeric-owner",
                "--same-owner",
                "--preserve-permissions",
                "--xattrs",
                "--xattrs-include=security.capability",
                "--exclude=./dev/*",
                "--exclude=dev/*"));
        tar.addAll(decompression(archive));
        tar.add("--file=-");
        try (UserNamespace namespace = UserNamespace.open(ids);
                InputStream stream = new DigestInputStream(Files.newInputStream(archive), digest)) {
            Command.of(namespace.command(tar))
                    .within(LONGEST_UNPACKING)
                    .reading(output -> {
                        stream.transferTo(output);
                    })
                    .run();
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<String> decompression(Path archive) throws IOException {
        byte[] first;
        try (InputStream stream = Files.newInputStream(archive)) {
            first = stream.readNBytes(MAGIC);
        }
        String magic = HexFormat.of().formatHex(first);
        if (magic.startsWith("1f8b")) {
            return List.of("--gzip");
        }
        if (magic.startsWith("fd377a585a00")) {
            return List.of("--xz");
        }
        return magic.startsWith("28b52ffd") ? List.of("--zstd") : List.of();
    }

    /**
     * Removes images that nothing refers to.
     *
     * @param used the digests of images that VMs are made of
     * @param named whether to remove also those that have a name
     * @return the digests of those that were removed
     */
    public List<String> prune(Set<String> used, boolean named)
            throws IOException, CommandException, InterruptedException {
        List<String> removed = new ArrayList<>();
        List<Image> images = list();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(folder)) {
            for (Path candidate : folders) {
                String hash = candidate.getFileName().toString();
                String digest = DIGEST_PREFIX + hash;
                List<Image> names = images.stream()
                        .filter(image -> image.digest().equals(digest))
                        .toList();
                if (HASH.matcher(hash).matches() && !used.contains(digest) && (named || names.isEmpty())) {
                    for (Image image : names) {
                        Files.deleteIfExists(
                                folder.resolve("names").resolve(image.name().value()));
                    }
                    PrivateFiles.deleteTree(candidate);
                    removed.add(digest);
                }
            }
        }
        return removed;
    }

    private Image read(ImageName name, String hash) throws IOException {
        if (!HASH.matcher(hash).matches()) {
            throw new IOException("the name " + name + " of an image points to no hash");
        }
        JsonNode node;
        try {
            node = Lines.parse(Files.readString(folder.resolve(hash).resolve("image.json")));
            Members members = Members.of(node, Set.of("size_bytes", "created_at"));
            return new Image(
                    name,
                    DIGEST_PREFIX + hash,
                    members.number("size_bytes"),
                    Instant.parse(members.text("created_at")));
        } catch (WireException e) {
            throw new IOException("image " + hash + ": " + e.getMessage(), e);
        }
    }

    private static String hash(String digest) {
        String hash = digest.startsWith(DIGEST_PREFIX) ? digest.substring(DIGEST_PREFIX.length()) : "";
        if (!HASH.matcher(hash).matches()) {
            throw new IllegalArgumentException("a digest that is none (expected: sha256: and 64 of 0-9, a-f)");
        }
        return hash;
    }

    private static String hashOf(Path archive) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream stream = new DigestInputStream(Files.newInputStream(archive), digest)) {
            stream.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void delete(Path tree) throws IOException, InterruptedException {
        try {
            PrivateFiles.deleteTree(tree);
        } catch (CommandException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
