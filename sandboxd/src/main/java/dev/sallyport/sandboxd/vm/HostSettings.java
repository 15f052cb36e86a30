package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.HostPath;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.net.GatePlan;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.WireException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the drivers of this machine.
 *
 * @param dir images and VMs; stays over a boot
 * @param runDir what ends with a boot
 * @param cgroup the cgroup above those of the guests, as a path from the root of the hierarchy
 * @param ids whom guests' users are on this machine
 * @param plan the network
 * @param authority the file with the certificate authority of the gate, which guests trust, PEM; null for none
 * @param snapshotMemory whether snapshots of virtual machines have what these had in memory
 */
public record HostSettings(
        Path dir,
        Path runDir,
        String cgroup,
        IdRange ids,
        GatePlan plan,
        @Nullable Path authority,
        boolean snapshotMemory) {

    /** The names of the settings and their defaults. */
    public static final Map<String, String> DEFAULTS = Map.of(
            "dir", "/var/lib/sallyport/sandboxes",
            "run_dir", "/run/sallyport/sandboxd",
            "cgroup", "/sallyport",
            "id_base", Integer.toString(IdRange.DEFAULT.base()),
            "subnet", "10.77.0.0/16",
            "gate_port", "10080",
            "dns_port", "10053",
            "ca_cert", "",
            "connections_per_vm", "1024",
            "snapshot_memory", "false");

    /**
     * Out of text.
     *
     * @throws VmException {@code INVALID}, with all problems
     */
    public static HostSettings of(Map<String, String> given) throws VmException {
        List<String> problems = new ArrayList<>();
        Map<String, String> all = new TreeMap<>(DEFAULTS);
        given.forEach((name, value) -> {
            if (all.replace(name, value) == null) {
                problems.add("unknown setting " + name + " (expected: one of "
                        + String.join(", ", new TreeSet<>(DEFAULTS.keySet())) + ")");
            }
        });
        for (String name : List.of("dir", "run_dir", "cgroup")) {
            if (!HostPath.isPlain(all.getOrDefault(name, ""))) {
                problems.add(name + " is no plain path (expected: " + HostPath.EXPECTED + ")");
            }
        }
        String authority = all.getOrDefault("ca_cert", "");
        if (!authority.isEmpty() && !authority.startsWith("/")) {
            problems.add("ca_cert is no path (expected: /..., a file of the gate's, PEM)");
        }
        String snapshotMemory = all.getOrDefault("snapshot_memory", "");
        if (!List.of("true", "false").contains(snapshotMemory)) {
            problems.add("snapshot_memory is neither true nor false");
        }
        IdRange ids = IdRange.DEFAULT;
        GatePlan plan = null;
        try {
            ids = new IdRange(number(all, "id_base"), IdRange.DEFAULT.size());
        } catch (IllegalArgumentException e) {
            problems.add("id_base: " + e.getMessage());
        }
        try {
            plan = plan(all);
        } catch (IllegalArgumentException | WireException e) {
            problems.add("network: " + e.getMessage());
        }
        if (plan == null || !problems.isEmpty()) {
            throw new VmException(Reason.INVALID, "sandboxd: " + String.join("; ", problems));
        }
        return new HostSettings(
                Path.of(all.getOrDefault("dir", "")),
                Path.of(all.getOrDefault("run_dir", "")),
                all.getOrDefault("cgroup", ""),
                ids,
                plan,
                authority.isEmpty() ? null : Path.of(authority),
                Boolean.parseBoolean(snapshotMemory));
    }

    private static GatePlan plan(Map<String, String> all) throws WireException {
        String[] subnet = all.getOrDefault("subnet", "").split("/", -1);
        if (subnet.length != 2) {
            throw new IllegalArgumentException("subnet is none (expected: ADDRESS/LENGTH)");
        }
        return new GatePlan(
                Members.address("subnet", subnet[0]),
                Integer.parseInt(subnet[1]),
                number(all, "gate_port"),
                number(all, "dns_port"),
                number(all, "connections_per_vm"));
    }

    private static int number(Map<String, String> all, String name) {
        String text = all.getOrDefault(name, "");
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is no number", e);
        }
    }

    /** Where the images are. */
    public Path images() {
        return dir.resolve("images");
    }

    /** Where the files of VMs are. */
    public Path vms() {
        return dir.resolve("vms");
    }

    Path snapshots() {
        return dir.resolve("snapshots");
    }

    /** Where what snapshots added is. */
    public Path layers() {
        return dir.resolve("layers");
    }
}
