package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Need;
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

    private static final List<String> NAMESPACES = List.of("user", "mnt", "pid", "net", "ipc", "uts", "cgroup");
    private static final Path LOOP = Path.of("/dev/loop-control");
    private static final String RUNTIME = "runtime";

    /** What is said of a machine that has all of them. */
    private static final List<String> TOLD = List.of(RUNTIME, CommonNeeds.CONTROL_GROUPS);

    /** Programs, and Debian's packages that bring them. */
    private static final Map<String, String> PROGRAMS = new TreeMap<>(Map.ofEntries(
            Map.entry("nft", "nftables"),
            Map.entry("mke2fs", "e2fsprogs"),
            Map.entry("chattr", "e2fsprogs"),
            Map.entry("nsenter", "util-linux"),
            Map.entry("unshare", "util-linux"),
            Map.entry("prlimit", "util-linux"),
            Map.entry("choom", "util-linux"),
            Map.entry("tar", "tar"),
            Map.entry("kill", "procps")));

    /** Which ids users may have in namespaces of their own, see subuid(5) and subgid(5). */
    private static final List<Path> SUBORDINATE = List.of(Path.of("/etc/subuid"), Path.of("/etc/subgid"));

    private static final Pattern GIVEN = Pattern.compile("([^:]+):([0-9]{1,10}):([0-9]{1,10})\\s*");

    private final Cgroups cgroups;
    private final HostSettings settings;

    Requirements(Cgroups cgroups, HostSettings settings) {
        this.cgroups = cgroups;
        this.settings = settings;
    }

    /** Whether all of them are met. */
    Availability check() throws IOException, InterruptedException {
        return CommonNeeds.availability(needs(), TOLD);
    }

    /** All of them, each of which is required. */
    List<Need> needs() throws IOException, InterruptedException {
        List<Need> needs = new ArrayList<>();
        needs.add(CommonNeeds.root());
        needs.add(CommonNeeds.controlGroups(cgroups, settings.cgroup()));
        needs.add(CommonNeeds.systemCalls());
        needs.add(namespaces());
        PROGRAMS.forEach((program, brings) -> needs.add(CommonNeeds.program(program, brings)));
        needs.add(runtimeNeed());
        needs.add(
                Files.exists(LOOP)
                        ? Need.met("loop devices", LOOP + " is there")
                        : Need.missing("loop devices", "there is no " + LOOP, "modprobe loop"));
        needs.add(
                knows("overlay")
                        ? Need.met("overlayfs", "the kernel knows it")
                        : Need.missing("overlayfs", "the kernel does not know overlayfs", "modprobe overlay"));
        for (Path file : SUBORDINATE) {
            List<String> overlaps = overlaps(file);
            needs.add(
                    overlaps.isEmpty()
                            ? Need.met(file.toString(), "the guests' ids are nobody else's")
                            : Need.missing(file.toString(), String.join("; ", overlaps), "another id_base"));
        }
        return needs;
    }

    private static Need namespaces() {
        List<String> missing = NAMESPACES.stream()
                .filter(type -> !Files.exists(Path.of("/proc/self/ns", type)))
                .toList();
        return missing.isEmpty()
                ? Need.met("namespaces", String.join(", ", NAMESPACES))
                : Need.missing(
                        "namespaces",
                        "the kernel has no namespaces of type " + String.join(", ", missing),
                        "a kernel with CONFIG_NAMESPACES and CONFIG_USER_NS");
    }

    private Need runtimeNeed() throws IOException, InterruptedException {
        String runtime = runtime();
        return runtime == null
                ? Need.missing(RUNTIME, "there is neither crun nor runc", "Debian's package crun, or runc")
                : Need.met(RUNTIME, version(runtime));
    }

    private List<String> overlaps(Path file) {
        try {
            return Files.exists(file) ? overlaps(settings.ids(), file, Files.readAllLines(file)) : List.of();
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
                problems.add("%s gives ids of the guests, from %d on, to %s as well"
                        .formatted(file, ids.base(), parts.group(1)));
            }
        }
        return problems;
    }

    /** The runtime to use, crun where there are both and runc has made nothing that runs; null for none. */
    @Nullable String runtime() throws IOException {
        boolean runc = CommonNeeds.isThere(OciRuntime.RUNC);
        if (CommonNeeds.isThere(OciRuntime.CRUN) && !(runc && OciRuntime.isRuncInUse(settings))) {
            return OciRuntime.CRUN;
        }
        return runc ? OciRuntime.RUNC : null;
    }

    private static String version(String runtime) throws InterruptedException {
        try {
            return Command.of(runtime, "--version").run().lines().findFirst().orElse(runtime);
        } catch (CommandException e) {
            return runtime + ", which does not say its version: " + e.getMessage();
        }
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
