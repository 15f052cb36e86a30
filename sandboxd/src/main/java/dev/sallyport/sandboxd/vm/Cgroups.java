package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control groups of this machine, in whichever layout it has.
 *
 * @param layout how they are mounted
 * @param hierarchies where
 * @param controllers what they limit, of what a VM has limits of
 */
public record Cgroups(Layout layout, List<Path> hierarchies, Set<String> controllers) {

    private static final Logger LOG = LoggerFactory.getLogger(Cgroups.class);
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration FREEZING = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofMillis(10);
    private static final String PROCESSES = "cgroup.procs";
    private static final int ROUNDS = 20;

    /** Those without which a VM would have no limits. */
    private static final List<String> LIMITING = List.of("cpu", "memory", "pids");

    private static final long CPU_PERIOD_MICROS = 100_000;

    /** How control groups are mounted. */
    public enum Layout {
        /** Version 2 alone. */
        UNIFIED,
        /** Version 1 alone. */
        LEGACY,
        /** Controllers in version 1, and version 2 beside them. */
        HYBRID,
        /** Not at all. */
        NONE
    }

    /** With all controllers. */
    public Cgroups(Layout layout, List<Path> hierarchies) {
        this(layout, hierarchies, Set.copyOf(LIMITING));
    }

    /** Those of this machine. */
    public static Cgroups probe() throws IOException {
        Cgroups found = of(Files.readAllLines(MOUNTS));
        return found.layout == Layout.UNIFIED
                ? new Cgroups(
                        found.layout,
                        found.hierarchies,
                        limiting(Files.readString(found.hierarchies.getFirst().resolve("cgroup.controllers"))
                                .strip()
                                .split(" ", -1)))
                : found;
    }

    private static Set<String> limiting(String... names) {
        Set<String> limiting = new TreeSet<>(LIMITING);
        limiting.retainAll(List.of(names));
        return Set.copyOf(limiting);
    }

    /** What no group of this machine limits: in version 2 it may be that version 1 has it, or nothing. */
    public List<String> missing() {
        return LIMITING.stream().filter(name -> !controllers.contains(name)).toList();
    }

    /** The group above those of VMs, or one above it, whose processes keep it from passing limits on; null for none. */
    @Nullable Path obstacle(String parent) throws IOException {
        return layout == Layout.UNIFIED
                ? Delegation.to(hierarchies.getFirst(), parent, LIMITING).obstacle()
                : null;
    }

    /** In a hybrid layout the file that tells the controllers of version 2, which it has beside version 1; else null. */
    public @Nullable Path secondControllers() {
        return layout == Layout.HYBRID
                ? hierarchies.stream()
                        .filter(Delegation::isIn)
                        .map(Delegation::present)
                        .findFirst()
                        .orElse(null)
                : null;
    }

    /** Out of the lines of {@code mountinfo}. */
    static Cgroups of(List<String> mounts) {
        List<Path> first = new ArrayList<>();
        List<Path> second = new ArrayList<>();
        Set<String> controllers = new TreeSet<>();
        for (String line : mounts) {
            Path point = Path.of(line.split(" ", -1)[4]);
            String[] mounted = line.substring(line.indexOf(" - ") + 3).split(" ", -1);
            String type = mounted[0];
            if ("cgroup".equals(type)) {
                first.add(point);
                controllers.addAll(limiting(mounted[2].split(",", -1)));
            } else if ("cgroup2".equals(type)) {
                second.add(point);
            }
        }
        List<Path> all = new ArrayList<>(first);
        all.addAll(second);
        Layout layout = first.isEmpty()
                ? (second.isEmpty() ? Layout.NONE : Layout.UNIFIED)
                : (second.isEmpty() ? Layout.LEGACY : Layout.HYBRID);
        return new Cgroups(layout, List.copyOf(all), Set.copyOf(controllers));
    }

    /** Whether the machine limits swap for each group. */
    public boolean limitsSwap() {
        return layout == Layout.UNIFIED
                || hierarchies.stream().anyMatch(path -> Files.exists(path.resolve("memory.memsw.limit_in_bytes")));
    }

    /**
     * Lets all processes of a VM stand still, and returns when they do. They stay so until {@link #thaw}, whatever becomes of
     * this process.
     */
    public void freeze(String parent, VmId id) throws IOException, InterruptedException {
        Freezer freezer = freezer(parent, id.value());
        long deadline = System.nanoTime() + FREEZING.toNanos();
        do {
            freezer.write(true);
            if (freezer.isFrozen()) {
                return;
            }
            Thread.sleep(1);
        } while (System.nanoTime() < deadline);
        throw new IOException("the processes of " + id + " do not stand still within " + FREEZING.toSeconds() + " s");
    }

    /**
     * Lets them go on. What fails is tried again for some seconds: nothing else wakes them before the next start. An
     * interruption comes after that.
     */
    public void thaw(String parent, VmId id) throws IOException {
        Freezer freezer = freezer(parent, id.value());
        boolean interrupted = Thread.interrupted(); // which would cut off the writing, too
        long deadline = System.nanoTime() + FREEZING.toNanos();
        try {
            while (true) {
                try {
                    freezer.write(false);
                    return;
                } catch (IOException e) {
                    if (System.nanoTime() > deadline) {
                        LOG.error("{} stands still until the next start: it cannot be told to go on", id, e);
                        throw e;
                    }
                }
                try {
                    Thread.sleep(RETRY);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The same for all VMs below a parent, each of which is tried once. */
    public void thawAll(String parent) throws IOException {
        for (Path hierarchy : hierarchies) {
            Path group = hierarchy.resolve(parent.substring(1));
            if (Files.isDirectory(group)) {
                try (DirectoryStream<Path> children = Files.newDirectoryStream(group, Cgroups::isOfVm)) {
                    children.forEach(Cgroups::thawAtAnyRate);
                }
            }
        }
    }

    private static void thawAtAnyRate(Path group) {
        try {
            if (Freezer.isIn(group)) {
                new Freezer(group).write(false);
            }
        } catch (IOException e) {
            LOG.error("the guest of {} may stand still: it cannot be told to go on", group, e);
        }
    }

    /** In a hybrid layout that of version 1, whose processes version 2 may know as well. */
    private Freezer freezer(String parent, String name) throws IOException {
        Path found = null;
        for (Path hierarchy : hierarchies) {
            Path group = hierarchy.resolve(parent.substring(1)).resolve(name);
            if (Freezer.isIn(group) && (found == null || Files.exists(group.resolve(Freezer.FIRST)))) {
                found = group;
            }
        }
        if (found == null) {
            throw new IOException("no control group of " + name + " can be frozen");
        }
        return new Freezer(found);
    }

    /**
     * Kills what is left in groups of VMs below a parent, and removes them; then the parent, where it is empty. One that
     * cannot be removed stays.
     */
    public void removeOthers(String parent, Set<String> kept) throws IOException, InterruptedException {
        for (Path hierarchy : hierarchies) {
            Path group = hierarchy.resolve(parent.substring(1));
            if (!Files.isDirectory(group)) {
                continue;
            }
            try (DirectoryStream<Path> children = Files.newDirectoryStream(group, Cgroups::isOfVm)) {
                for (Path child : children) {
                    if (!kept.contains(child.getFileName().toString())) {
                        remove(child);
                    }
                }
            }
            if (kept.isEmpty()) {
                removeIfEmpty(group);
            }
        }
    }

    /**
     * What the processes of a VM may take together.
     *
     * @param memoryBytes memory, without swap
     * @param cpuMillis thousandths of one processor
     * @param processes processes and threads
     */
    public record Limits(long memoryBytes, int cpuMillis, int processes) {}

    /**
     * Makes the groups of a VM, which are not there.
     *
     * @return the files to which a process writes its number, to be in them
     */
    public List<Path> make(String parent, VmId id, Limits limits) throws IOException {
        List<Path> joined = new ArrayList<>();
        for (Path hierarchy : hierarchies) {
            if (layout == Layout.HYBRID && Delegation.isIn(hierarchy)) {
                continue; // version 1 has the controllers
            }
            Path group = Files.createDirectories(
                    hierarchy.resolve(parent.substring(1)).resolve(id.value()));
            Delegation.to(hierarchy, parent, LIMITING).passOn();
            boolean limited = limit(group, limits);
            if (limited || Freezer.isIn(group)) {
                joined.add(group.resolve(PROCESSES));
            } else {
                Files.delete(group);
            }
        }
        return joined;
    }

    /** Writes those limits that a group has files for, in either version. */
    private static boolean limit(Path group, Limits limits) throws IOException {
        String memory = Long.toString(limits.memoryBytes());
        String quota = Long.toString((long) limits.cpuMillis() * CPU_PERIOD_MICROS / 1000);
        boolean any = set(group, "memory.limit_in_bytes", memory) || set(group, "memory.max", memory);
        if (any && !set(group, "memory.memsw.limit_in_bytes", memory) && !set(group, "memory.swap.max", "0")) {
            set(group, "memory.swappiness", "0");
        }
        any |= set(group, "cpu.cfs_period_us", Long.toString(CPU_PERIOD_MICROS))
                && set(group, "cpu.cfs_quota_us", quota);
        any |= set(group, "cpu.max", quota + " " + CPU_PERIOD_MICROS);
        any |= set(group, "pids.max", Integer.toString(limits.processes()));
        return any;
    }

    private static boolean set(Path group, String name, String value) throws IOException {
        Path file = group.resolve(name);
        if (!Files.exists(file)) {
            return false;
        }
        Files.writeString(file, value);
        return true;
    }

    /** The VMs whose groups there are, each with what {@link #process} says of it; for when no group goes. */
    public Map<VmId, Long> processes(String parent) throws IOException {
        Map<VmId, Long> all = new TreeMap<>();
        for (Path hierarchy : hierarchies) {
            Path above = hierarchy.resolve(parent.substring(1));
            if (Files.isDirectory(above)) {
                try (DirectoryStream<Path> children = Files.newDirectoryStream(above, Cgroups::isOfVm)) {
                    for (Path group : children) {
                        all.merge(new VmId(group.getFileName().toString()), first(group), Math::max);
                    }
                }
            }
        }
        return all;
    }

    /** The lowest number of the processes in the groups of a VM; 0 where there is none. */
    public long process(String parent, VmId id) throws IOException {
        long process = 0;
        for (Path hierarchy : hierarchies) {
            Path group = hierarchy.resolve(parent.substring(1)).resolve(id.value());
            if (Files.isDirectory(group)) {
                process = Math.max(process, first(group));
            }
        }
        return process;
    }

    private static long first(Path group) throws IOException {
        return Files.readAllLines(group.resolve(PROCESSES)).stream()
                .mapToLong(Long::parseLong)
                .min()
                .orElse(0);
    }

    /** Kills what is in the groups of a VM, and removes them. None being there is no error. */
    public void remove(String parent, VmId id) throws IOException, CommandException, InterruptedException {
        for (Path hierarchy : hierarchies) {
            Path group = hierarchy.resolve(parent.substring(1)).resolve(id.value());
            if (Files.isDirectory(group)) {
                empty(group);
                delete(group);
            }
        }
    }

    /** The threads of a process that was killed may end a little after it. */
    private static void delete(Path group) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                Files.delete(group);
                return;
            } catch (FileSystemException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
            }
            Thread.sleep(RETRY);
        }
    }

    private static boolean isOfVm(Path child) {
        return VmId.isValid(child.getFileName().toString()) && Files.isDirectory(child);
    }

    private static void remove(Path group) throws InterruptedException {
        LOG.info("removing the control group {}, which belongs to no VM that runs", group);
        try {
            empty(group);
            delete(group);
        } catch (IOException | CommandException e) {
            LOG.warn("the control group {} stays: {}", group, e.toString());
        }
    }

    private static void empty(Path group) throws IOException, InterruptedException, CommandException {
        if (set(group, "cgroup.kill", "1")) {
            return; // all at once, in version 2 since Linux 5.14; it can be deleted when they have ended
        }
        List<String> pids = Files.readAllLines(group.resolve(PROCESSES));
        for (int round = 0; !pids.isEmpty() && round < ROUNDS; round++) {
            for (String pid : pids) {
                kill(pid);
            }
            pids = Files.readAllLines(group.resolve(PROCESSES)); // those that were started meanwhile
        }
    }

    private static void kill(String pid) throws IOException, InterruptedException, CommandException {
        try {
            HostProcess process = HostProcess.of(Long.parseLong(pid));
            Command.of("kill", "-KILL", pid).run();
            process.awaitEnd(LIMIT);
        } catch (NoSuchFileException e) {
            LOG.debug("process {} has ended by itself", pid);
        }
    }

    private static void removeIfEmpty(Path group) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(group, Files::isDirectory)) {
            if (children.iterator().hasNext()) {
                return;
            }
        }
        Files.delete(group);
    }
}
