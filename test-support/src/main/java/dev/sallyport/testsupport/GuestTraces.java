package dev.sallyport.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What guests leave in the kernel and on the disk of a machine inside this one, whose sandboxd has {@link #RUN_FOLDER} and
 * folder and control group of its own. As lines of text.
 */
public final class GuestTraces {

    /** What ends with a boot of the machine. */
    public static final String RUN_FOLDER = "/run/sandboxd";

    private static final String LAYERS = "layers";

    /** Awaited in pieces of ten milliseconds. */
    private static final int PIECES = 3_000;

    private final UnaryOperator<List<String>> inside;
    private final Path folder;
    private final String cgroup;

    /**
     * Of a machine.
     *
     * @param inside makes of a command one that runs in the machine
     * @param folder what stays over a boot
     * @param cgroup the control group above those of guests, as a path from the root of the hierarchy
     */
    public GuestTraces(UnaryOperator<List<String>> inside, Path folder, String cgroup) {
        this.inside = inside;
        this.folder = folder;
        this.cgroup = cgroup;
    }

    private String shell(String script) throws IOException, InterruptedException {
        return Tools.run(inside.apply(List.of("sh", "-c", script)));
    }

    /** All traces, by kind; a kind of which nothing is left is not there. */
    public Map<String, String> found() throws IOException, InterruptedException {
        Map<String, String> traces = new TreeMap<>();
        traces.put("mounts", shell("grep -F -e " + folder + " -e " + RUN_FOLDER + "/oci /proc/self/mountinfo || true"));
        traces.put("namespaces", shell("ls /run/netns 2>/dev/null || true"));
        traces.put("cables", shell("ip -o link show | grep svh || true"));
        traces.put(
                "runs",
                shell("cd " + RUN_FOLDER
                        + " 2>/dev/null && ls -A vms runtime oci qemu 2>/dev/null | grep vm_ || true"));
        traces.put("loops", shell("losetup -n -O BACK-FILE | grep -F " + folder + " || true"));
        traces.put(
                "groups",
                shell("find /sys/fs/cgroup \\( -fstype cgroup -o -fstype cgroup2 \\) -path '*" + cgroup
                        + "/vm_*/cgroup.procs' 2>/dev/null || true"));
        traces.put("leases", shell("nft list ruleset | grep -E 'refused_|svh[0-9]' || true"));
        traces.put("files", files("vms"));
        traces.put("snapshots", files("snapshots"));
        awaitTrash();
        traces.put(LAYERS, files(LAYERS));
        traces.values().removeIf(String::isBlank);
        return traces;
    }

    /** What has lost its name is removed in the background. */
    private void awaitTrash() throws IOException, InterruptedException {
        for (int i = 0; i < PIECES && files(LAYERS).contains(".old-"); i++) {
            Thread.sleep(10);
        }
    }

    private String files(String name) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(name))) {
            return String.join("\n", files.map(Path::toString).toList());
        }
    }

    /** What sandboxd itself leaves, too, once it has ended without guests. */
    public Map<String, String> remains() throws IOException, InterruptedException {
        Map<String, String> remains = new TreeMap<>(found());
        remains.put("rules", shell("nft list ruleset"));
        remains.put("address", shell("ip -o address show | grep 10.77 || true"));
        remains.put("groups", shell("ls -d /sys/fs/cgroup/*" + cgroup + " 2>/dev/null || true"));
        remains.values().removeIf(String::isBlank);
        return remains;
    }
}
