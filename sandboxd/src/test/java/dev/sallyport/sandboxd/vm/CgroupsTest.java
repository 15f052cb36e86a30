package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.vm.Cgroups.Layout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layouts of control groups, as mountinfo shows them. */
class CgroupsTest {

    private static final String MEMORY = "40 30 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory";
    private static final String BESIDE = "41 30 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";
    private static final String ALONE = "42 30 0:32 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw";
    private static final String OTHER = "43 30 0:33 / / rw,relatime - ext4 /dev/vda rw";

    @Test
    void eachLayoutIsKnown() {
        assertThat(Cgroups.of(List.of(OTHER)).layout()).isEqualTo(Layout.NONE);
        assertThat(Cgroups.of(List.of(OTHER, MEMORY)).layout()).isEqualTo(Layout.LEGACY);
        assertThat(Cgroups.of(List.of(OTHER, MEMORY, BESIDE)).layout()).isEqualTo(Layout.HYBRID);
        assertThat(Cgroups.of(List.of(OTHER, ALONE)).layout()).isEqualTo(Layout.UNIFIED);
    }

    @Test
    void onlyAHybridLayoutHasVersion2BesideVersion1(@TempDir Path second) throws Exception {
        Path told = Files.writeString(second.resolve("cgroup.controllers"), "hugetlb\n");
        String beside = BESIDE.replace("/sys/fs/cgroup/unified", second.toString());

        assertThat(Cgroups.of(List.of(MEMORY, beside)).secondControllers()).isEqualTo(told);
        assertThat(Cgroups.of(List.of(MEMORY)).secondControllers()).isNull();
        assertThat(Cgroups.of(List.of(beside)).secondControllers()).isNull();
    }

    @Test
    void whatNothingLimitsIsKnown() throws Exception {
        String both = MEMORY.replace("rw,memory", "rw,cpu,cpuacct");
        String tasks = MEMORY.replace("rw,memory", "rw,pids");

        assertThat(Cgroups.of(List.of(MEMORY, BESIDE)).missing()).containsExactly("cpu", "pids");
        assertThat(Cgroups.of(List.of(MEMORY, both, tasks, BESIDE)).missing()).isEmpty();
        assertThat(Cgroups.of(List.of(ALONE)).missing()).containsExactly("cpu", "memory", "pids");
        assertThat(CommonNeeds.controlGroups(Cgroups.of(List.of(MEMORY)), "/sallyport")
                        .met())
                .isFalse();
    }

    @Test
    void allHierarchiesAreCleared() {
        assertThat(Cgroups.of(List.of(MEMORY, BESIDE)).hierarchies())
                .containsExactly(Path.of("/sys/fs/cgroup/memory"), Path.of("/sys/fs/cgroup/unified"));
    }

    @Test
    void aRemainThatStaysAndAGroupOfSomebodyElseHoldUpNothing(@TempDir Path hierarchy) throws Exception {
        Path damaged = Files.createDirectories(hierarchy.resolve("sallyport/vm_" + "a".repeat(26)));
        Path foreign = Files.createDirectories(hierarchy.resolve("sallyport/vm_of_somebody_else"));
        Path kept = Files.createDirectories(hierarchy.resolve("sallyport/vm_" + "b".repeat(26)));

        new Cgroups(Layout.UNIFIED, List.of(hierarchy))
                .removeOthers("/sallyport", Set.of(kept.getFileName().toString()));

        assertThat(damaged).isDirectory(); // it has no cgroup.procs
        assertThat(foreign).isDirectory();
        assertThat(kept).isDirectory();
    }

    /** In each version that this machine has. */
    @Test
    void whatIsFrozenStandsStillAndGoesOn() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        VmId id = new VmId("vm_" + "f".repeat(26));
        String parent = "/sallyport-freezer-" + ProcessHandle.current().pid();
        int seen = 0;
        for (Path hierarchy : Cgroups.probe().hierarchies()) {
            Path group = hierarchy.resolve(parent.substring(1)).resolve(id.value());
            Files.createDirectories(group);
            Process process = new ProcessBuilder("sh", "-c", "while :; do echo; done").start();
            try {
                if (Files.exists(group.resolve("freezer.state")) || Files.exists(group.resolve("cgroup.freeze"))) {
                    Files.writeString(group.resolve("cgroup.procs"), Long.toString(process.pid()));
                    standStill(new Cgroups(Layout.UNIFIED, List.of(hierarchy)), parent, id, process);
                    seen++;
                }
            } finally {
                process.destroyForcibly().waitFor();
                awaitEmpty(group);
                Files.delete(group);
                Files.delete(group.getParent());
            }
        }
        assertThat(seen).isPositive();
    }

    private static void standStill(Cgroups cgroups, String parent, VmId id, Process process) throws Exception {
        cgroups.freeze(parent, id);
        process.getInputStream().skip(process.getInputStream().available());
        Thread.sleep(20); // the pipe may have been full
        process.getInputStream().skip(process.getInputStream().available());
        Thread.sleep(50);
        assertThat(process.getInputStream().available()).isZero();
        cgroups.thawAll(parent);
        assertThat(process.getInputStream().read()).isEqualTo('\n');
        cgroups.freeze(parent, id);
        cgroups.thaw(parent, id);
        process.getInputStream().skip(process.getInputStream().available());
        assertThat(process.getInputStream().read()).isEqualTo('\n');
    }

    private static void awaitEmpty(Path group) throws Exception {
        for (int i = 0;
                i < 200 && !Files.readString(group.resolve("cgroup.procs")).isEmpty();
                i++) {
            Thread.sleep(10);
        }
    }

    /** A group that is going has its folder for a moment longer than its files. */
    @Test
    void theProcessOfAVmIsSeenWhileTheGroupOfAnotherGoes(@TempDir Path hierarchy) throws Exception {
        group(hierarchy, 'a');
        Files.writeString(group(hierarchy, 'b').resolve("cgroup.procs"), "7\n5\n");
        Cgroups cgroups = new Cgroups(Layout.UNIFIED, List.of(hierarchy));

        assertThat(cgroups.process("/sallyport", new VmId("vm_" + "b".repeat(26))))
                .isEqualTo(5);
        assertThat(cgroups.process("/sallyport", new VmId("vm_" + "c".repeat(26))))
                .isZero();
    }

    private static Path group(Path hierarchy, char letter) throws Exception {
        return Files.createDirectories(
                hierarchy.resolve("sallyport/vm_" + String.valueOf(letter).repeat(26)));
    }

    @Test
    void aGuestThatCannotBeToldToGoOnIsToldAgain(@TempDir Path hierarchy) throws Exception {
        Path file = group(hierarchy, 'f').resolve("cgroup.freeze");
        Files.createDirectory(file); // which nobody can write to
        Thread help = Thread.ofPlatform().start(() -> {
            try {
                Thread.sleep(100);
                Files.delete(file);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        new Cgroups(Layout.UNIFIED, List.of(hierarchy)).thaw("/sallyport", new VmId("vm_" + "f".repeat(26)));

        help.join();
        assertThat(file).hasContent("0");
    }

    @Test
    void anInterruptionDoesNotKeepAGuestStandingStill(@TempDir Path hierarchy) throws Exception {
        Path file = Files.createFile(group(hierarchy, 'f').resolve("cgroup.freeze"));
        Thread.currentThread().interrupt();

        new Cgroups(Layout.UNIFIED, List.of(hierarchy)).thaw("/sallyport", new VmId("vm_" + "f".repeat(26)));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(file).hasContent("0");
    }

    @Test
    void oneThatCannotGoOnHoldsUpNoOther(@TempDir Path hierarchy) throws Exception {
        for (char letter : new char[] {'a', 'c', 'e'}) {
            Files.createDirectory(group(hierarchy, letter).resolve("cgroup.freeze"));
        }
        List<Path> others = new ArrayList<>();
        for (char letter : new char[] {'b', 'd', 'f'}) {
            others.add(Files.createFile(group(hierarchy, letter).resolve("cgroup.freeze")));
        }

        new Cgroups(Layout.UNIFIED, List.of(hierarchy)).thawAll("/sallyport");

        assertThat(others).allSatisfy(file -> assertThat(file).hasContent("0"));
    }

    @Test
    void whatHasNoFreezerSaysSo(@TempDir Path hierarchy) {
        assertThatThrownBy(() -> new Cgroups(Layout.UNIFIED, List.of(hierarchy))
                        .freeze("/sallyport", new VmId("vm_" + "f".repeat(26))))
                .hasMessageContaining("can be frozen");
    }
}
