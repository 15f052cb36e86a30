package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The kernel that guests boot, with their first file system, which has the modules that reach disk and network. A new one is
 * for guests that start from then on.
 */
public final class KernelStore {

    private static final Pattern RELEASE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+~_-]{0,100}");

    private final Path folder;
    private final int group;

    /** The digests of kernels that have been read, by what their files were then. */
    private final Map<List<Object>, String> digests = new ConcurrentHashMap<>();

    /**
     * A kernel.
     *
     * @param release as the kernel calls itself, such as {@code 6.1.0-56-cloud-amd64}
     * @param image what QEMU boots
     * @param initramfs its first file system, to which what a guest is told is added
     */
    record Kernel(String release, Path image, Path initramfs) {}

    private KernelStore(Path folder, int group) {
        this.folder = folder;
        this.group = group;
    }

    /** That in the folder of these settings. */
    public static KernelStore of(HostSettings settings) {
        return new KernelStore(settings.dir().resolve("kernel"), settings.ids().base());
    }

    /** Whether there is one. */
    boolean isThere() {
        return Files.exists(pointer());
    }

    /** The one that guests boot now. */
    Kernel current() throws IOException {
        try {
            return read(Files.readString(pointer()).strip());
        } catch (NoSuchFileException e) {
            throw new IOException("there is no kernel for guests (expected: sallyport sandbox kernel build)", e);
        }
    }

    private Kernel read(String release) throws IOException {
        if (!RELEASE.matcher(release).matches()) {
            throw new IOException(pointer() + " names no kernel");
        }
        Path home = folder.resolve(release);
        return new Kernel(release, home.resolve("vmlinuz"), home.resolve("initramfs"));
    }

    private Path pointer() {
        return folder.resolve("current");
    }

    /**
     * Takes one, in the place of one of the same release.
     *
     * @param initramfs as the kernel reads it; of a length that is a multiple of four
     */
    Kernel add(String release, Path image, byte[] initramfs) throws IOException {
        Kernel kernel = read(release);
        PrivateFiles.folder(folder, group);
        PrivateFiles.folder(folder.resolve(release), group);
        replace(kernel.image(), Files.readAllBytes(image));
        replace(kernel.initramfs(), initramfs);
        PrivateFiles.write(pointer(), release + "\n");
        return kernel;
    }

    /** The SHA-256 of image and first file system, in hexadecimal. They are read when they have changed. */
    String digest(Kernel kernel) throws IOException {
        List<Object> read = new ArrayList<>();
        for (Path file : List.of(kernel.image(), kernel.initramfs())) {
            read.addAll(List.of(file, Files.getLastModifiedTime(file), Files.size(file)));
        }
        String known = digests.get(read);
        if (known == null) {
            MessageDigest digest = DiskForm.sha256();
            digest.update(Files.readAllBytes(kernel.image()));
            digest.update(Files.readAllBytes(kernel.initramfs()));
            known = HexFormat.of().formatHex(digest.digest());
            digests.put(read, known);
        }
        return known;
    }

    private static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(".new-" + file.getFileName());
        Files.deleteIfExists(fresh);
        PrivateFiles.create(fresh);
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** A text that is part of this program. */
    static String resource(String name) {
        try (var stream = KernelStore.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is no part of this program");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
