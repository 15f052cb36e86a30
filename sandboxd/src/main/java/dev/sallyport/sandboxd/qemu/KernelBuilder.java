package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.Need;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * Makes what guests boot out of Debian's packages, which are unpacked and not installed: a kernel for the cloud, and busybox,
 * with which guests reach their disk.
 */
public final class KernelBuilder {

    private static final String KERNEL = "linux-image-cloud-amd64";
    private static final String BUSYBOX = "busybox-static";
    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final Pattern DEPENDS = Pattern.compile("(?m)^ *Depends: (linux-image-[0-9a-z.+-]+)$");
    private static final Pattern NEEDS = Pattern.compile("\0depends=([^\0]*)\0");
    private static final Pattern MODULE = Pattern.compile("(.+)\\.ko(\\.xz|\\.zst)?");
    private static final String IMAGE = "vmlinuz-";
    private static final int BLOCK = 4;

    /** What reaches disk, network, the driver, and numbers that nobody knows. Those that a kernel has in it are no modules. */
    private static final List<String> MODULES =
            List.of("virtio_pci", "virtio_blk", "virtio_net", "virtio_console", "virtio_rng");

    private final KernelStore store;

    /** @param store where it goes */
    public KernelBuilder(KernelStore store) {
        this.store = store;
    }

    /**
     * Makes it.
     *
     * @param packages the kernel's and busybox's, as files; none for those of the sources of this machine's APT
     * @return the kernel's release
     */
    public String build(List<Path> packages) throws IOException, VmException, InterruptedException {
        require("dpkg-deb", "dpkg");
        Path folder = Files.createTempDirectory("sallyport-kernel");
        try {
            List<Path> debs = packages.isEmpty() ? download(folder) : packages;
            Path tree = Files.createDirectory(folder.resolve("tree"));
            for (Path deb : debs) {
                Command.of("dpkg-deb", "--extract", deb.toString(), tree.toString())
                        .within(LIMIT)
                        .run();
            }
            Path image = find(tree, Path.of("boot"), IMAGE);
            String release = image.getFileName().toString().substring(IMAGE.length());
            return store.add(release, image, compressed(initramfs(tree, release)))
                    .release();
        } catch (CommandException e) {
            throw new VmException(Reason.FAILED, e.getMessage(), e);
        } finally {
            delete(folder);
        }
    }

    private static void require(String program, String brings) throws VmException {
        Need need = CommonNeeds.program(program, brings);
        if (!need.met()) {
            throw new VmException(Reason.UNAVAILABLE, need.problem());
        }
    }

    private static List<Path> download(Path folder)
            throws IOException, VmException, CommandException, InterruptedException {
        require("apt-get", "apt, or files of the packages");
        Matcher depends =
                DEPENDS.matcher(Command.of("apt-cache", "depends", KERNEL).run());
        if (!depends.find()) {
            throw new IOException("APT knows no kernel that " + KERNEL + " depends on");
        }
        Command.of("env", "--chdir=" + folder, "apt-get", "--quiet", "download", depends.group(1), BUSYBOX)
                .within(LIMIT)
                .run();
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".deb")).toList();
        }
    }

    /** The one file in a folder whose name begins so. */
    private static Path find(Path tree, Path folder, String prefix) throws IOException, VmException {
        if (Files.isDirectory(tree.resolve(folder))) {
            try (Stream<Path> files = Files.list(tree.resolve(folder))) {
                List<Path> found = files.filter(
                                file -> file.getFileName().toString().startsWith(prefix))
                        .toList();
                if (found.size() == 1) {
                    return found.getFirst();
                }
            }
        }
        throw new VmException(
                Reason.INVALID,
                "the packages have no /" + folder + "/" + prefix + "*, or several (expected: one of Debian's packages "
                        + KERNEL + " depends on, and " + BUSYBOX + ")");
    }

    private static Path busybox(Path tree) throws VmException {
        for (String folder : List.of("bin", "usr/bin")) {
            Path busybox = tree.resolve(folder).resolve("busybox");
            if (Files.isRegularFile(busybox, LinkOption.NOFOLLOW_LINKS)) {
                return busybox;
            }
        }
        throw new VmException(Reason.INVALID, "the packages have no busybox (expected: that of " + BUSYBOX + ")");
    }

    private static byte[] initramfs(Path tree, String release)
            throws IOException, VmException, CommandException, InterruptedException {
        Cpio archive = new Cpio();
        for (String folder : List.of("bin", "dev", "proc", "sys", "root", "modules", "guest")) {
            archive.folder(folder, 0755);
        }
        archive.device("dev/console", 0600, 5, 1);
        archive.file("bin/busybox", 0755, Files.readAllBytes(busybox(tree)));
        archive.file("init", 0755, KernelStore.resource("init.sh"));
        for (String script : List.of("guest.sh", "agent.sh")) {
            archive.file(script, 0644, KernelStore.resource(script));
        }
        Map<String, byte[]> modules = modules(tree, release);
        modules.forEach((name, content) -> archive.file("modules/" + name + ".ko", 0644, content));
        StringBuilder order = new StringBuilder();
        modules.keySet().forEach(name -> order.append(name).append(".ko\n"));
        archive.file("modules/order", 0644, order.toString());
        return archive.toByteArray();
    }

    /** Modules in an order in which they can be loaded. */
    private static Map<String, byte[]> modules(Path tree, String release)
            throws IOException, VmException, CommandException, InterruptedException {
        Map<String, Path> files = new TreeMap<>();
        for (String parent : List.of("lib/modules", "usr/lib/modules")) {
            Path folder = tree.resolve(parent).resolve(release);
            if (Files.isDirectory(folder)) {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.forEach(file -> {
                        Matcher name = MODULE.matcher(file.getFileName().toString());
                        if (name.matches()) {
                            files.put(underscored(name.group(1)), file);
                        }
                    });
                }
            }
        }
        Map<String, byte[]> ordered = new LinkedHashMap<>();
        for (String module : MODULES) {
            add(module, files, ordered);
        }
        return ordered;
    }

    private static void add(String name, Map<String, Path> files, Map<String, byte[]> ordered)
            throws IOException, VmException, CommandException, InterruptedException {
        Path file = files.get(name);
        if (file == null || ordered.containsKey(name)) {
            return;
        }
        byte[] content = content(file);
        Matcher needs = NEEDS.matcher(new String(content, StandardCharsets.ISO_8859_1));
        if (needs.find()) {
            for (String needed : needs.group(1).split(",", -1)) {
                add(underscored(needed), files, ordered);
            }
        }
        ordered.put(name, content);
    }

    private static byte[] content(Path file) throws IOException, VmException, CommandException, InterruptedException {
        String name = file.getFileName().toString();
        if (name.endsWith(".ko")) {
            return Files.readAllBytes(file);
        }
        String program = name.endsWith(".xz") ? "xz" : "zstd";
        require(program, program.equals("xz") ? "xz-utils" : program);
        return Command.of(program, "--decompress", "--stdout", "--", file.toString())
                .run(stream -> stream.readAllBytes());
    }

    /** Files have either of the two in their names, and modules say which they need with underscores. */
    private static String underscored(String name) {
        return name.replace('-', '_');
    }

    private static byte[] compressed(byte[] archive) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(archive);
        }
        byte[] whole = bytes.toByteArray();
        return Arrays.copyOf(whole, (whole.length + BLOCK - 1) / BLOCK * BLOCK); // zeros, which the kernel skips
    }

    private static void delete(Path tree) throws IOException, InterruptedException {
        try {
            PrivateFiles.deleteTree(tree);
        } catch (CommandException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
