package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.vm.Cgroups.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of version 2, above those of VMs. */
class DelegationTest {

    private static final String PARENT = "/outer.slice/guests";

    private static Path group(Path group, String controllers, String passed, String processes) throws IOException {
        Files.createDirectories(group);
        Files.writeString(group.resolve("cgroup.type"), "domain\n");
        Files.writeString(group.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(group.resolve("cgroup.subtree_control"), passed + "\n");
        Files.writeString(group.resolve("cgroup.procs"), processes);
        return group;
    }

    @Test
    void everyGroupFromTheRootDownPassesLimitsOn(@TempDir Path root) throws Exception {
        group(root, "cpuset memory", "cpuset", "");
        Path outer = group(root.resolve("outer.slice"), "cpuset memory", "", "");
        Path parent = group(outer.resolve("guests"), "memory", "memory", "");

        Delegation.to(root, PARENT, List.of("cpu", "memory")).passOn();

        assertThat(root.resolve("cgroup.subtree_control")).hasContent("+memory");
        assertThat(outer.resolve("cgroup.subtree_control")).hasContent("+memory");
        assertThat(parent.resolve("cgroup.subtree_control")).hasContent("memory"); // it does already
    }

    @Test
    void groupsWithProcessesPassNothingOnButTheRootOfAll(@TempDir Path root) throws Exception {
        Cgroups cgroups = new Cgroups(Layout.UNIFIED, List.of(root));
        group(root, "cpu memory pids", "", "1\n");
        Path outer = group(root.resolve("outer.slice"), "", "", "");

        assertThat(cgroups.obstacle(PARENT))
                .as("what a container takes for the root")
                .isEqualTo(root);
        assertThat(CommonNeeds.controlGroups(cgroups, PARENT).problem())
                .isEqualTo(
                        "unified, but processes are in " + root + ", so that nothing limits groups below it (expected:"
                                + " all of these processes in a group of their own, such as " + root.resolve("init")
                                + ", or another cgroup)");

        Files.delete(root.resolve("cgroup.type"));
        assertThat(cgroups.obstacle(PARENT)).isNull();
        assertThat(CommonNeeds.controlGroups(cgroups, PARENT).met()).isTrue();

        group(outer, "cpu memory pids", "", "7\n");
        assertThat(cgroups.obstacle(PARENT)).isEqualTo(outer);
        assertThat(cgroups.obstacle("/guests")).isNull();
    }

    /** In version 2, which each layout but that of version 1 alone has. */
    @Test
    void whatGoesOnStartingProcessesIsRemoved() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path hierarchy = Cgroups.probe().hierarchies().stream()
                .filter(Delegation::isIn)
                .findFirst()
                .orElse(null);
        assumeTrue(hierarchy != null, "needs version 2 of control groups");
        VmId id = new VmId("vm_" + "g".repeat(26));
        String parent = "/sallyport-delegation-" + ProcessHandle.current().pid();
        Path group =
                Files.createDirectories(hierarchy.resolve(parent.substring(1)).resolve(id.value()));
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "echo $$ > " + group + "/cgroup.procs; while :; do sleep 1000 & echo; sleep 0.02; done")
                .start();
        try {
            process.getInputStream().read();

            new Cgroups(Layout.UNIFIED, List.of(hierarchy)).remove(parent, id);

            assertThat(group).doesNotExist();
            assertThat(process.waitFor()).isEqualTo(128 + 9);
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(group.getParent());
        }
    }
}
