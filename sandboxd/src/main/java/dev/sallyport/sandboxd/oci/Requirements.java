package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the driver needs of its machine. */
final class Requirements {

    private static final List<String> FOLDERS =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    /** Programs, and Debian's packages that bring them. */
    private static final Map<String, String> PROGRAMS = new TreeMap<>(Map.ofEntries(
            Map.entry("ip", "iproute2"),
            Map.entry("nft", "nftables"),
            Map.entry("mke2fs", "e2fsprogs"),
            Map.entry("mount", "mount"),
            Map.entry("umount", "mount"),
            Map.entry("nsenter", "util-linux"),
            Map.entry("unshare", "util-linux"),
            Map.entry("prlimit", "util-linux"),
            Map.entry("choom", "util-linux"),
            Map.entry("sysctl", "procps"),
            Map.entry("tar", "tar"),
            Map.entry("kill", "procps")));

    /** Which ids users may have in namespaces of their own, see subuid(5) and subgid(5). */
    private static final List<Path> SUBORDINATE = List.of(Path.of("/etc/subuid"), Path.of("/etc/subgid"));

    private static final Pattern GIVEN = Pattern.compile("([^:]+):([0-9]{1,10}):([0-9]{1,10})\\s*");

    private final Cgroups cgroups;
    private final IdRange ids;

    Requirements(Cgroups cgroups, IdRange ids) {
        this.cgroups = cgroups;
        this.ids = ids;
    }

    /** Whether all of them are met. */
    Availability check() throws InterruptedException {
        List<String> problems = new ArrayList<>();
        if (!"root".equals(System.getProperty("user.name"))) {
            problems.add("this process is not root (expected: root, in the machine's own user namespace)");
        }
        PROGRAMS.forEach((program, brings) -> {
            if (!isThere(program)) {
                problems.add("there is no " + program + " (it comes with the package " + brings + ")");
            }
        });
        if (cgroups.layout() == Cgroups.Layout.NONE) {
            problems.add("no control groups are mounted (expected: a file system cgroup2 at /sys/fs/cgroup)");
        }
        if (!Files.exists(Path.of("/dev/loop-control"))) {
            problems.add("there is no /dev/loop-control (expected: the kernel's module loop)");
        }
        if (!knows("overlay")) {
            problems.add("the kernel does not know overlayfs (expected: its module overlay)");
        }
        for (Path file : SUBORDINATE) {
            problems.addAll(overlaps(file));
        }
        String runtime = runtime();
        if (runtime == null) {
            problems.add(missingRuntime());
        }
        return problems.isEmpty()
                ? new Availability.Available(
                        List.of("runtime: " + version(String.valueOf(runtime)), "control groups: " + layout()))
                : new Availability.Unavailable(problems);
    }

    private List<String> overlaps(Path file) {
        try {
            return Files.exists(file) ? overlaps(ids, file, Files.readAllLines(file)) : List.of();
        } catch (IOException e) {
            return List.of(file + " cannot be read: " + e);
        }
    }

    /** The lines of {@code subuid} or {@code subgid}, {@code USER:FIRST:COUNT}, that give ids of guests to a user, too. */
    static List<String> overlaps(IdRange ids, Path file, List<String> lines) {
        List<String> problems = new ArrayList<>();
        for (String line : lines) {
            Matcher parts = GIVEN.matcher(line);
            if (parts.matches() && ids.overlaps(Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)))) {
                problems.add("%s gives ids of the guests, from %d on, to %s as well (expected: another id_base)"
                        .formatted(file, ids.base(), parts.group(1)));
            }
        }
        return problems;
    }

    /** The runtime to use; null for none. crun of Debian 12 refuses a hybrid layout, runc takes any. */
    @Nullable String runtime() {
        if (cgroups.layout() != Cgroups.Layout.HYBRID && isThere("crun")) {
            return "crun";
        }
        return isThere("runc") ? "runc" : null;
    }

    private String missingRuntime() {
        return cgroups.layout() == Cgroups.Layout.HYBRID
                ? "there is no runc, and crun refuses this machine's hybrid layout of control groups"
                        + " (it comes with the package runc)"
                : "there is neither crun nor runc (they come with the packages crun and runc)";
    }

    private String layout() {
        return cgroups.layout().name().toLowerCase(java.util.Locale.ROOT);
    }

    private static String version(String runtime) throws InterruptedException {
        try {
            return Command.of(runtime, "--version").run().lines().findFirst().orElse(runtime);
        } catch (CommandException e) {
            return runtime + ", which does not say its version: " + e.getMessage();
        }
    }

    private static boolean isThere(String program) {
        return FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private static boolean knows(String type) {
        try {
            if (Files.readString(Path.of("/proc/filesystems")).contains("\t" + type + "\n")) {
                return true;
            }
            String release =
                    Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
            Path modules = Path.of("/lib/modules", release, "modules.dep");
            return Files.exists(modules) && Files.readString(modules).contains("/" + type + ".ko");
        } catch (IOException e) {
            return false;
        }
    }
}
