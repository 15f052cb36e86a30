package dev.sallyport.server.run;

import dev.sallyport.core.tls.TrustRoots;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What PID 1 of the program's namespaces mounts, line by line: a verb, a place and what comes there, between tabs. No name
 * in it has a control character.
 */
final class MountPlan {

    /** The plan, in the closed folder of the run. */
    static final String FILE = "mounts";

    private static final Path JVMS = Path.of("/usr/lib/jvm");
    private static final String CACERTS = "lib/security/cacerts";
    private static final Path DEBIAN_CACERTS = Path.of("/etc/ssl/certs/java/cacerts");
    private static final String QUEUES = "mqueue";
    private static final Path NAMES = Path.of("/etc/resolv.conf");
    private static final Path PROC = Path.of("/proc");
    private static final Path SYS = Path.of("/sys");
    private static final Path LOCKS = Path.of("/run/lock");
    private static final List<Path> KERNEL_SETTINGS = List.of(PROC.resolve("sys"), PROC.resolve("sysrq-trigger"));

    /** File systems through which root changes the kernel. */
    private static final Set<String> KERNEL = Set.of(
            "sysfs",
            "cgroup",
            "cgroup2",
            "debugfs",
            "tracefs",
            "securityfs",
            "pstore",
            "bpf",
            "efivarfs",
            "configfs",
            "selinuxfs",
            "binfmt_misc");

    private final RunFolder folder;
    private final List<String> lines = new ArrayList<>();

    private MountPlan(RunFolder folder) {
        this.folder = folder;
    }

    /**
     * Writes the plan of a run.
     *
     * @param environment of the program
     * @param root whether the program runs as the machine's root, to whom the kernel's settings belong
     */
    static void write(RunFolder folder, Masks masks, Map<String, String> environment, boolean root) throws IOException {
        MountPlan plan = new MountPlan(folder);
        plan.trust(TrustFiles.in(folder.path()), environment);
        plan.kernel(masks.table(), root);
        plan.masks(masks, environment);
        plan.names();
        if (masks.folders().contains(Masks.RUN)) {
            plan.links();
        }
        plan.add("readonly", folder.path(), "");
        plan.add("hide", folder.closed(), "");
        Files.write(folder.closed().resolve(FILE), plan.lines, SystemNames.CHARSET);
    }

    private void add(String verb, Path place, String what) throws IOException {
        if (!SystemNames.isPlain(place.toString()) || !SystemNames.isPlain(what)) {
            throw new IOException("a path with control characters: " + verb + " " + place);
        }
        lines.add(verb + "\t" + place + "\t" + what);
    }

    /**
     * The program has a {@code /proc} of its own; another one would show the machine's processes. A file system of POSIX
     * message queues belongs to the namespace in which it was mounted, and has the queues of outside.
     */
    private void kernel(MountTable table, boolean root) throws IOException {
        for (MountTable.Mount mount : table.mounts()) {
            Path place = SystemNames.path(mount.place());
            if (place == null || !SystemNames.isPlain(mount.place())) {
                continue;
            }
            if (mount.type().equals(QUEUES) || (mount.type().equals("proc") && !place.startsWith(PROC))) {
                add("hide", place, "");
            } else if (root && !place.startsWith(PROC) && (place.startsWith(SYS) || KERNEL.contains(mount.type()))) {
                add("remount", place, "");
            }
        }
        for (Path setting : KERNEL_SETTINGS) {
            if (Files.exists(setting)) {
                add("readonly", setting, "");
            }
        }
    }

    private void masks(Masks masks, Map<String, String> environment) throws IOException {
        List<Path> kept = new ArrayList<>();
        for (Path socket : masks.admitted()) {
            Path aside = folder.path().resolve("socket-" + kept.size());
            add("file", aside, "");
            add("bind", aside, socket.toString());
            kept.add(aside);
        }
        for (Path socket : masks.sockets()) {
            add("mask", socket, "");
        }
        for (Path masked : masks.folders()) {
            add("tmpfs", masked, "");
        }
        if (masks.folders().contains(Masks.RUN)) {
            runtimeFolder(environment.getOrDefault("XDG_RUNTIME_DIR", ""));
            add("folder", LOCKS, "1777");
        }
        for (int i = 0; i < kept.size(); i++) {
            Path socket = masks.admitted().get(i);
            add("file", socket, "");
            add("bind", socket, kept.get(i).toString());
            add("free", kept.get(i), "");
        }
    }

    private void runtimeFolder(String name) throws IOException {
        Path given = SystemNames.absolute(name);
        Path path = given == null ? Masks.RUN : given.normalize();
        if (path.startsWith(Masks.RUN) && !path.equals(Masks.RUN) && SystemNames.isPlain(name)) {
            add("folder", path, "700");
        }
    }

    /**
     * Symbolic links of {@code /run} stay: some systems keep the way to their programs there. They come last, so that
     * nothing is made through one.
     */
    private void links() throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Masks.RUN, Files::isSymbolicLink)) {
            for (Path link : entries) {
                String target = Files.readSymbolicLink(link).toString();
                if (SystemNames.isPlain(link.toString()) && SystemNames.isPlain(target)) {
                    add("link", link, target);
                }
            }
        }
    }

    /** The name server is the proxy's. */
    private void names() throws IOException {
        if (!Files.exists(NAMES)) {
            return; // every resolver then asks 127.0.0.1
        }
        Path file = folder.write("resolv.conf", "nameserver 127.0.0.1\n");
        Path place = NAMES.toRealPath();
        add("file", place, "");
        add("bind", place, file.toString());
    }

    private void trust(TrustFiles trust, Map<String, String> environment) throws IOException {
        Set<Path> bundles = new LinkedHashSet<>();
        for (Path bundle : TrustRoots.bundles()) {
            collect(bundle, bundles);
        }
        for (Path place : bundles) {
            add("bind", place, trust.bundle().toString());
        }
        Set<Path> stores = new LinkedHashSet<>();
        collect(DEBIAN_CACERTS, stores);
        collect(Path.of(environment.getOrDefault("JAVA_HOME", "/")).resolve(CACERTS), stores);
        if (Files.isDirectory(JVMS)) {
            try (DirectoryStream<Path> homes = Files.newDirectoryStream(JVMS)) {
                for (Path home : homes) {
                    collect(home.resolve(CACERTS), stores);
                }
            }
        }
        for (Path place : stores) {
            add("bind", place, trust.java().toString());
        }
    }

    private static void collect(Path file, Set<Path> places) throws IOException {
        if (Files.isRegularFile(file)) {
            places.add(file.toRealPath());
        }
    }
}
