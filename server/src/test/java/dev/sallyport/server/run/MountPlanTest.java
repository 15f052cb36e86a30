package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MountPlanTest {

    @BeforeEach
    void linux() {
        assumeTrue(Files.isDirectory(Path.of("/proc/sys")), "needs Linux");
    }

    private static List<String> plan(Masks masks, Map<String, String> environment) throws IOException {
        try (RunFolder folder = RunFolder.create()) {
            MountPlan.write(folder, masks, environment, false);
            return Files.readAllLines(folder.closed().resolve(MountPlan.FILE));
        }
    }

    private static Masks masks(List<Path> folders, List<Path> sockets) throws IOException {
        return new Masks(folders, sockets, List.of(), Set.of(), MountTable.read());
    }

    @Test
    void a_name_that_would_be_a_line_of_its_own_is_refused() {
        for (String name : List.of("/tmp/x\nbind", "/tmp/x\tbind")) {
            assertThatThrownBy(() -> plan(masks(List.of(), List.of(Path.of(name))), Map.of()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("control characters");
        }
    }

    @Test
    void a_runtime_folder_is_made_below_run_only() throws Exception {
        Masks run = masks(List.of(Path.of("/run")), List.of());

        assertThat(plan(run, Map.of("XDG_RUNTIME_DIR", "/run/user/7"))).contains("folder\t/run/user/7\t700");
        for (String name : List.of("/run/../etc/x", "/run", "/tmp/run/x", "/run/a\nb", "")) {
            assertThat(plan(run, Map.of("XDG_RUNTIME_DIR", name)))
                    .filteredOn(line -> line.startsWith("folder\t"))
                    .containsExactly("folder\t/run/lock\t1777");
        }
    }

    @Test
    void links_come_after_everything_that_is_made_and_only_below_run() throws Exception {
        List<String> lines = plan(masks(List.of(Path.of("/run"), Path.of("/tmp/.X11-unix")), List.of()), Map.of());

        List<String> links =
                lines.stream().filter(line -> line.startsWith("link\t")).toList();
        assertThat(links).allMatch(line -> line.startsWith("link\t/run/"));
        List<String> after = lines.subList(lines.lastIndexOf("tmpfs\t/tmp/.X11-unix\t") + 1, lines.size());
        assertThat(after.stream().dropWhile(line -> !line.startsWith("link\t")))
                .noneMatch(line -> line.startsWith("file\t") || line.startsWith("folder\t"));
    }

    @Test
    void what_PID_1_says_and_reads_is_hidden_at_the_end() throws Exception {
        List<String> lines = plan(masks(List.of(), List.of()), Map.of());

        assertThat(lines).anyMatch(line -> line.startsWith("readonly\t/proc/sys\t"));
        assertThat(lines.getLast()).matches("hide\t\\S*sallyport-run-\\d+\t");
        assertThat(lines.get(lines.size() - 2)).matches("readonly\t\\S*sallyport-run-\\d+\t");
    }

    @Test
    void a_folder_that_went_since_the_plan_was_made_is_passed_over(@TempDir Path folder) throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        Files.createFile(there.resolve("file"));

        int code = mounted(
                folder,
                "tmpfs\t" + folder + "/gone\t\nhide\t" + folder + "/gone\t\ntmpfs\t" + there + "\t\n",
                "test",
                "!",
                "-e",
                there + "/file");

        assertThat(folder.resolve("status")).hasContent("ready");
        assertThat(code).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "hide"})
    void a_folder_that_goes_right_before_it_is_mounted_on_is_passed_over(String verb, @TempDir Path folder)
            throws Exception {
        Path going = Files.createDirectory(folder.resolve("going"));
        mount(folder, "rmdir " + going);

        int code = mounted(folder, verb + "\t" + going + "\t\n", "true");

        assertThat(going).doesNotExist();
        assertThat(folder.resolve("status")).hasContent("ready");
        assertThat(code).isZero();
    }

    @Test
    void a_folder_that_is_there_again_is_mounted_on(@TempDir Path folder) throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        Files.createFile(there.resolve("file"));
        Path tried = folder.resolve("tried");
        mount(folder, "[ -e " + tried + " ] || { : >" + tried + "; exit 32; }");

        int code = mounted(folder, "tmpfs\t" + there + "\t\n", "test", "!", "-e", there + "/file");

        assertThat(folder.resolve("status")).hasContent("ready");
        assertThat(code).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "hide"})
    void without_a_mount_over_a_folder_that_is_there_nothing_runs(String verb, @TempDir Path folder) throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        mount(folder, "exit 32");

        int code = mounted(folder, verb + "\t" + there + "\t\n", "true");

        assertThat(folder.resolve("status")).content().startsWith("failed " + verb + " " + there);
        assertThat(code).isEqualTo(2);
    }

    /** Puts something before every mount. */
    private static void mount(Path folder, String before) throws IOException {
        Path script = folder.resolve("mount");
        Files.writeString(script, "#!/bin/sh\n" + before + "\nPATH=${PATH#*:}\nexec mount \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Mounts in namespaces what a plan says, and then runs a program; returns the exit code. */
    private static int mounted(Path folder, String plan, String... program) throws Exception {
        Path script = folder.resolve("init.sh");
        try (InputStream in = MountPlan.class.getResourceAsStream("init.sh")) {
            Files.write(script, Objects.requireNonNull(in, "init.sh").readAllBytes());
        }
        Files.writeString(folder.resolve(MountPlan.FILE), plan);
        assumeTrue(ended(folder, "true") == 0, "needs namespaces");
        List<String> command = new ArrayList<>(List.of("sh", script.toString(), folder.toString(), ""));
        command.addAll(List.of(program));
        return ended(folder, command.toArray(String[]::new));
    }

    /** Programs in the folder come before those of the system. */
    private static int ended(Path folder, String... command) throws Exception {
        List<String> whole =
                new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork"));
        whole.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(whole)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().merge("PATH", folder.toString(), (path, own) -> own + ":" + path);
        return builder.start().waitFor();
    }
}
