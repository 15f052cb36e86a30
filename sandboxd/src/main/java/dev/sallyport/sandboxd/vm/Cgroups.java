package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control groups of this machine, in whichever layout it has.
 *
 * @param layout how they are mounted
 * @param hierarchies where
 */
public record Cgroups(Layout layout, List<Path> hierarchies) {

    private static final Logger LOG = LoggerFactory.getLogger(Cgroups.class);
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration FREEZING = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofMillis(10);

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

    /** Those of this machine. */
    public static Cgroups probe() throws IOException {
        return of(Files.readAllLines(MOUNTS));
    }

    /** Out of the lines of {@code mountinfo}. */
    static Cgroups of(List<String> mounts) {
        List<Path> first = new ArrayList<>();
        List<Path> second = new ArrayList<>();
        for (String line : mounts) {
            Path point = Path.of(line.split(" ", -1)[4]);
            String type = line.substring(line.indexOf(" - ") + 3).split(" ", -1)[0];
            if ("cgroup".equals(type)) {
                first.add(point);
            } else if ("cgroup2".equals(type)) {
                second.add(point);
            }
        }
        List<Path> all = new ArrayList<>(first);
        all.addAll(second);
        Layout layout = first.isEmpty()
                ? (second.isEmpty() ? Layout.NONE : Layout.UNIFIED)
                : (second.isEmpty() ? Layout.LEGACY : Layout.HYBRID);
        return new Cgroups(layout, List.copyOf(all));
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

    /** The files of a group that let it stand still, in either version. */
    private record Freezer(Path group) {

        static final String FIRST = "freezer.state";
        private static final String SECOND = "cgroup.freeze";

        static boolean isIn(Path group) {
            return Files.exists(group.resolve(FIRST)) || Files.exists(group.resolve(SECOND));
        }

        private boolean isFirst() {
            return Files.exists(group.resolve(FIRST));
        }

        void write(boolean frozen) throws IOException {
            if (isFirst()) {
                Files.writeString(group.resolve(FIRST), frozen ? "FROZEN" : "THAWED");
            } else {
                Files.writeString(group.resolve(SECOND), frozen ? "1" : "0");
            }
        }

        boolean isFrozen() throws IOException {
            return isFirst()
                    ? "FROZEN".equals(Files.readString(group.resolve(FIRST)).strip())
                    : Files.readAllLines(group.resolve("cgroup.events")).contains("frozen 1");
        }
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

    private static boolean isOfVm(Path child) {
        return VmId.isValid(child.getFileName().toString()) && Files.isDirectory(child);
    }

    private static void remove(Path group) throws InterruptedException {
        LOG.info("removing the control group {}, which belongs to no VM that runs", group);
        try {
            empty(group);
            Files.delete(group);
        } catch (IOException | CommandException e) {
            LOG.warn("the control group {} stays: {}", group, e.toString());
        }
    }

    private static void empty(Path group) throws IOException, InterruptedException, CommandException {
        for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
            try {
                HostProcess process = HostProcess.of(Long.parseLong(pid));
                Command.of("kill", "-KILL", pid).run();
                process.awaitEnd(LIMIT);
            } catch (NoSuchFileException e) {
                LOG.debug("process {} has ended by itself", pid);
            }
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
