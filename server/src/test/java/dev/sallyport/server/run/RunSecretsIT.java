package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the real values of {@code sallyport run} are not: docs/run.md. */
class RunSecretsIT {

    private static final String VALUE = "the-real-value-4711";
    private static final List<String> SECRET = List.of("--secret", "TOKEN=env:REAL@api.run.test");

    @TempDir
    private Path folder;

    @BeforeEach
    void everybody() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @Tag("long")
    @Test
    void a_program_cannot_look_into_the_process_that_holds_the_values() throws Exception {
        String look = "ls /tmp/hsperfdata_*/$PPID 2>/dev/null;";
        String read = "head -c 1 /proc/$PPID/environ >/dev/null 2>&1 && echo environment;"
                + " head -c 1 /proc/$PPID/auxv >/dev/null 2>&1 && echo memory;"
                + " ls /proc/$PPID/fd >/dev/null 2>&1 && echo files;";
        for (Runs runs : Runs.every(folder)) {
            if (runs.isolation().equals("env")) {
                boolean root = Runs.isRoot() && !runs.plain(); // who may read everything
                Runs.Ended ended =
                        runs.run(Map.of("REAL", VALUE), SECRET, "sh", "-c", look + (root ? "" : read) + " echo end");

                assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("end\n");
            }
        }
    }

    /** It takes long until the tool gives up. */
    @Tag("long")
    @Test
    void a_program_cannot_attach_to_the_process_that_holds_the_values() throws Exception {
        String attach = Path.of(System.getProperty("java.home"), "bin", "jcmd")
                + " $PPID VM.version >/dev/null 2>&1 && echo attached; echo end";
        for (Runs runs : Runs.every(folder)) {
            if (runs.isolation().equals("env")) {
                Runs.Ended ended = runs.run(Map.of("REAL", VALUE), SECRET, "sh", "-c", attach);

                assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("end\n");
            }
        }
    }

    @Test
    void the_program_has_no_variable_from_which_the_configuration_reads_a_secret() throws Exception {
        Files.writeString(folder.resolve("policy.yaml"), """
                management: {listen: disabled, api_key_env: KEY_OF_MANAGEMENT}
                transforms:
                  - name: allowlist
                    config: {rules: [{host: api.run.test}]}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: IN_THE_FILE}
                          replace: {proxy_value: placeholder-of-the-file}
                          rules: [{host: api.run.test}]
                """.replace("listen: disabled", "listen: \"127.0.0.1:0\""));
        Map<String, String> environment = Map.of(
                "IN_THE_FILE", VALUE, "KEY_OF_MANAGEMENT", VALUE, "ORDINARY", "kept", "OP_CONNECT_TOKEN", "kept");
        for (Runs runs : Runs.both(folder)) {
            Runs.Ended ended = runs.run(
                    environment,
                    List.of("-config", "policy.yaml"),
                    "sh",
                    "-c",
                    "env | grep -c " + VALUE + "; echo $ORDINARY $OP_CONNECT_TOKEN");

            assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("0\nkept kept\n");
        }
    }

    @Tag("long")
    @Test
    void that_the_process_is_not_protected_is_said_where_there_is_something_to_protect() throws Exception {
        Files.writeString(
                folder.resolve("policy.yaml"), "transforms: [{name: allowlist, config: {hosts: [a.test]}}]\n");
        Map<String, String> unknown = Map.of("REAL", VALUE, "SALLYPORT_JAVA_OPTS", "-Dos.arch=unknown");
        Runs runs = new Runs(folder, "env", false);
        for (List<String> options : List.of(SECRET, List.of("-config", "policy.yaml"))) {
            Runs.Ended ended = runs.run(unknown, options, "true");

            assertThat(ended.err()).contains("the program may read real values in this process: it needs Linux");
        }
        assertThat(runs.run(unknown, List.of(), "true").err()).doesNotContain("real values");
    }

    @Test
    void with_env_a_password_keeps_others_from_the_proxy() throws Exception {
        Files.writeString(folder.resolve("policy.yaml"), """
                proxy:
                  auth:
                    required: true
                    users: [{name: program, password: {type: env, var: PROXY_PASSWORD}}]
                transforms:
                  - name: allowlist
                    config: {rules: [{host: api.run.test}]}
                """);
        String tunnel = "curl -s -o /dev/null -w '%{http_connect}\\n'";

        Runs.Ended ended = new Runs(folder, "env", false)
                .run(
                        Map.of("PROXY_PASSWORD", VALUE),
                        List.of("-config", "policy.yaml"),
                        "sh",
                        "-c",
                        tunnel + " https://refused.run.test; " + tunnel + " -U program:wrong https://refused.run.test; "
                                + tunnel + " -U program:" + VALUE + " https://refused.run.test; exit 0");

        assertThat(ended.out()).as(ended.err()).isEqualTo("407\n407\n200\n");
    }

    @Test
    void a_tool_that_a_preset_asks_gets_no_value_and_does_not_run_in_the_project() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path mvn = tools.resolve("mvn");
        Files.writeString(mvn, "#!/bin/sh\nenv >\"$SEEN\"\npwd >>\"$SEEN\"\nls -A >>\"$SEEN\"\n");
        Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(folder.resolve(".mvn"));
        Files.writeString(folder.resolve(".mvn/jvm.config"), "-javaagent:of-the-project.jar");
        Path seen = folder.resolve("seen.txt");
        Map<String, String> environment =
                Map.of("REAL", VALUE, "SEEN", seen.toString(), "PATH", tools + ":" + System.getenv("PATH"));

        new Runs(folder, "env", false)
                .run(
                        environment,
                        Stream.concat(SECRET.stream(), Stream.of("--preset", "maven"))
                                .toList(),
                        "true");

        List<String> lines = Files.readAllLines(seen);
        assertThat(lines).noneMatch(line -> line.contains(VALUE)).doesNotContain(folder.toString(), "jvm.config");
        assertThat(lines).anyMatch(line -> line.contains("sallyport-empty-"));
    }

    @Test
    void nobody_waits_for_a_reader_of_values_that_never_comes() throws Exception {
        String large = "x".repeat(100_000); // more than a pipe takes
        for (List<String> options : List.of(List.of("--help"), List.of("--bogus=1"))) {
            String mark = "mark-" + Files.createTempFile(folder, "mark", "").getFileName();
            List<String> all = Stream.concat(SECRET.stream(), options.stream()).toList();

            Runs.Ended ended = new Runs(folder, "env", false).run(Map.of("REAL", large, "MARK", mark), all, "true");

            assertThat(ended.code()).isEqualTo(options.contains("--help") ? 0 : 2);
            Awaitility.await().until(() -> marked(mark).isEmpty());
        }
        try (Stream<Path> left = Files.list(Path.of("/tmp"))) {
            assertThat(left.filter(path -> Files.exists(path.resolve("values"))))
                    .isEmpty();
        }
    }

    @Test
    void a_value_that_cannot_be_taken_out_of_the_environment_is_no_secret() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String path : System.getenv("PATH").split(":", -1)) {
            link(Path.of(path), tools);
        }

        Runs.Ended ended = new Runs(folder, "env", false)
                .run(Map.of("REAL", VALUE, "PATH", tools.toString()), SECRET, "echo", "started");

        assertThat(ended.err()).contains("--secret takes printenv, which is not here");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.code()).isEqualTo(2);
    }

    /** Makes a link to each program but one. */
    private static void link(Path programs, Path into) throws IOException {
        if (!Files.isDirectory(programs)) {
            return;
        }
        try (Stream<Path> files = Files.list(programs)) {
            for (Path file : files.toList()) {
                Path link = into.resolve(file.getFileName());
                if (!link.endsWith("printenv") && !Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createSymbolicLink(link, file);
                }
            }
        }
    }

    @Test
    void a_large_value_with_ends_of_lines_arrives_whole() throws Exception {
        // The proxy would refuse it in a header: that it was read whole is seen from the start of the program.
        String large = "line\n".repeat(15_000);

        Runs.Ended ended = new Runs(folder, "env", false)
                .run(Map.of("REAL", large), SECRET, "sh", "-c", "echo $TOKEN${REAL-gone}");

        assertThat(ended.out()).as(ended.err()).matches("sallyport-TOKEN-[0-9a-f]{24}gone\n");
    }

    /** The processes with this in their environment. */
    private static List<Path> marked(String mark) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(process -> process.getFileName().toString().matches("\\d+"))
                    .filter(process -> contains(process.resolve("environ"), mark))
                    .toList();
        }
    }

    private static boolean contains(Path file, String mark) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(mark);
        } catch (IOException e) {
            return false; // ended, or another user's
        }
    }
}
