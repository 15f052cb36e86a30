package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.cli.Sallyport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program behind {@code sallyport run} begins, lives and ends as without: docs/run.md. */
class RunProcessIT {

    @TempDir
    private Path folder;

    @BeforeEach
    void everybody() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    /** A folder with a {@code mount} that says when it has begun, and goes on when it is told to. */
    private Path slowMount(Path begun, Path go) throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path mount = tools.resolve("mount");
        Files.writeString(mount, """
                #!/bin/sh
                # Not where it is only tried whether something can be mounted.
                case "$*" in *"-- "*) : >'%s'; while [ ! -e '%s' ]; do sleep 0.05; done ;; esac
                PATH=${PATH#*:}
                export PATH
                exec mount "$@"
                """.formatted(begun, go));
        Files.setPosixFilePermissions(mount, PosixFilePermissions.fromString("rwxr-xr-x"));
        return tools;
    }

    @Tag("long")
    @Test
    void the_keyboards_signal_from_before_the_program_runs_reaches_it() throws Exception {
        Path begun = folder.resolve("begun");
        Path go = folder.resolve("go");
        Path tools = slowMount(begun, go);
        // The terminal echoes ^C when it has sent the signal.
        String terminal = """
                import os, pty, sys, time
                begun, go = sys.argv[1:3]
                child, terminal = pty.fork()
                if child == 0:
                    os.execvp(sys.argv[3], sys.argv[3:])
                while not os.path.exists(begun):
                    time.sleep(0.05)
                os.write(terminal, b'\\x03')
                said = b''
                while b'^C' not in said:
                    said += os.read(terminal, 1000)
                time.sleep(0.5)
                open(go, 'w').close()
                try:
                    while os.read(terminal, 1000):
                        pass
                except OSError:
                    pass
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                """;
        for (Runs runs : Runs.namespaces(folder)) {
            Files.deleteIfExists(begun);
            Files.deleteIfExists(go);
            List<String> command = new ArrayList<>(List.of("python3", "-c", terminal, begun.toString(), go.toString()));
            command.addAll(
                    runs.command(List.of(), "sh", "-c", "trap 'exit 7' INT; for i in $(seq 300); do sleep 0.1; done"));
            Path out = Files.createTempFile(folder, "out", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().putAll(Sallyport.JAVA);
            builder.environment().put("PATH", tools + ":" + System.getenv("PATH"));
            Process process = builder.start();
            try {
                assertThat(process.waitFor()).as(Files.readString(out)).isZero();

                // It may come before the program has its trap.
                assertThat(Files.readString(out).strip()).as(runs.toString()).isIn("7", "130");
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    @Test
    @Tag("long")
    void a_signal_from_before_the_program_runs_reaches_it() throws Exception {
        Path begun = folder.resolve("begun");
        Path go = folder.resolve("go");
        Path tools = slowMount(begun, go);
        for (Runs runs : Runs.namespaces(folder)) {
            Files.deleteIfExists(begun);
            Files.deleteIfExists(go);
            Path out = Files.createTempFile(folder, "out", ".txt");
            Path err = Files.createTempFile(folder, "err", ".txt");
            Process process = runs.start(
                    Map.of("PATH", tools + ":" + System.getenv("PATH")),
                    List.of(),
                    out,
                    err,
                    "sh",
                    "-c",
                    "trap 'exit 7' TERM; for i in $(seq 300); do sleep 0.1; done");
            try {
                Awaitility.await().until(() -> Files.exists(begun));
                new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                        .start()
                        .waitFor();
                Files.writeString(go, "");

                // It may come before the program has its trap.
                assertThat(process.waitFor())
                        .as("%s: %s", runs, Files.readString(err))
                        .isIn(7, 128 + 15);
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    /** What the program leaves in a folder of PATH would run without any confinement. */
    @Test
    void nothing_of_the_program_runs_to_pass_on_a_signal() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("planted-tools"));
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path planted = folder.resolve("planted");
        Path ready = folder.resolve("ready");
        for (Runs runs : Runs.all(folder)) {
            Path out = Files.createTempFile(folder, "out", ".txt");
            Path err = Files.createTempFile(folder, "err", ".txt");
            Process process = runs.start(
                    Map.of("PATH", tools + ":" + System.getenv("PATH")),
                    List.of(),
                    out,
                    err,
                    "/bin/sh",
                    "-c",
                    """
                    trap 'exit 7' TERM
                    for tool in sh kill; do
                        printf '#!/bin/sh\\ntouch %s\\n' >%s/$tool
                        chmod +x %s/$tool
                    done
                    : >%s
                    for i in $(seq 300); do sleep 0.1; done
                    """.formatted(planted, tools, tools, ready));
            try {
                Awaitility.await().until(() -> Files.exists(ready));
                new ProcessBuilder("/bin/kill", "-TERM", Long.toString(process.pid()))
                        .start()
                        .waitFor();

                assertThat(process.waitFor())
                        .as("%s: %s", runs, Files.readString(err))
                        .isEqualTo(7);
                assertThat(planted).doesNotExist();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                for (String left : List.of("planted-tools/sh", "planted-tools/kill", "ready")) {
                    Files.deleteIfExists(folder.resolve(left));
                }
            }
        }
    }

    @Test
    @Tag("long")
    void the_program_ends_with_the_process_that_serves_it() throws Exception {
        for (Runs runs : Runs.namespaces(folder)) {
            Path out = Files.createTempFile(folder, "out", ".txt");
            String mark = "mark-" + out.getFileName();
            Process process = runs.start(
                    Map.of("MARK", mark),
                    List.of(),
                    out,
                    folder.resolve("killed.err"),
                    "sh",
                    "-c",
                    "echo ready; sleep 600");
            Awaitility.await().until(() -> Files.readString(out).contains("ready"));

            process.destroyForcibly().waitFor();

            Awaitility.await().until(() -> marked(mark).isEmpty());
        }
    }

    private static List<Path> marked(String mark) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(process -> process.getFileName().toString().matches("\\d+"))
                    .filter(process -> {
                        try {
                            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
                                    .contains(mark);
                        } catch (IOException e) {
                            return false; // it has ended
                        }
                    })
                    .toList();
        }
    }

    @Tag("long")
    @Test
    void a_trial_of_namespaces_that_does_not_end_is_ended() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path mount = Files.writeString(tools.resolve("mount"), "#!/bin/sh\nexec sleep 600\n");
        Files.setPosixFilePermissions(mount, PosixFilePermissions.fromString("rwxr-xr-x"));
        Runs runs = Runs.namespaces(folder).getFirst();

        Runs.Ended ended = runs.run(Map.of("PATH", tools + ":" + System.getenv("PATH")), List.of(), "true");

        assertThat(ended.err()).contains("--isolate netns does not work here", "not there after 10 seconds");
        assertThat(ended.code()).isEqualTo(2);
    }

    @Test
    void what_the_program_puts_into_the_folder_of_the_run_changes_nothing() throws Exception {
        Path kept = Files.createDirectory(folder.resolve("kept"));
        Files.writeString(kept.resolve("file"), "kept");
        String plant = "d=$(dirname \"$SSL_CERT_FILE\"); echo $d;"
                + " ln -s '" + kept + "' \"$d/link\"; mkdir -p \"$d/a/b\"; echo x >\"$d/a/b/c\"; ln -s '" + kept
                + "' \"$d/a/link\"; for f in failed reachable status ready; do echo failed >\"$d/$f\"; done;"
                + " rm -f \"$d/ca.pem\"; exit 5";
        for (Runs runs : Runs.all(folder)) {
            Runs.Ended ended = runs.run(Map.of(), List.of(), "sh", "-c", plant + " 2>/dev/null");

            assertThat(ended.code()).as("%s: %s", runs, ended.err()).isEqualTo(5);
            assertThat(Path.of(ended.out().strip())).doesNotExist();
            assertThat(kept.resolve("file")).exists();
        }
    }

    @Test
    @Tag("long")
    void what_records_are_in_the_program_does_not_see() throws Exception {
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(
                    Map.of(),
                    List.of("--learn", "learned.yaml"),
                    "sh",
                    "-c",
                    // The file that says what is mounted lies beside the records, and names the open folder.
                    "grep -l \"$(dirname \"$SSL_CERT_FILE\")\" /tmp/sallyport-run-*/mounts 2>/dev/null;"
                            + " touch \"$SSL_CERT_FILE\" 2>/dev/null || echo read-only");

            assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("read-only\n");
        }
    }

    @Test
    @Tag("long")
    void files_of_a_run_have_the_same_rights_whatever_the_umask() throws Exception {
        for (String umask : List.of("000", "077")) {
            for (Runs runs : Runs.all(folder)) {
                Runs.Ended ended = runs.runAfter(
                        "umask " + umask,
                        Map.of(),
                        List.of("--quiet"),
                        "sh",
                        "-c",
                        "umask; cd \"$(dirname \"$SSL_CERT_FILE\")\"; stat -c %a . * | sort -u");

                assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("0" + umask + "\n644\n755\n");
            }
        }
    }

    @Test
    @Tag("long")
    void the_environment_is_that_of_without_but_for_what_leads_to_the_proxy() throws Exception {
        Map<String, String> given =
                Map.of("home", "a", "folder", "b", "mode", "c", "what", "d", "option", "e", "values", "f");
        for (Runs runs : Runs.both(folder)) {
            Runs.Ended ended = runs.runAfter(
                    "unset MALLOC_ARENA_MAX _JAVA_SR_SIGNUM LC_ALL LC_CTYPE LANG; JAVA_HOME=/no/such/java",
                    given,
                    List.of("--quiet"),
                    "sh",
                    "-c",
                    "echo $home $folder $mode $what $option $values ${MALLOC_ARENA_MAX-} ${_JAVA_SR_SIGNUM-} ${LC_ALL-}"
                            + " $JAVA_HOME");

            assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo("a b c d e f /no/such/java\n");
        }
    }

    @Test
    @Tag("long")
    void the_folder_from_before_is_the_callers() throws Exception {
        String show = "echo ${OLDPWD-unset}";
        for (Runs runs : Runs.all(folder)) {
            for (String value : List.of("unset", "/usr")) {
                Runs.Ended ended = runs.runAfter(
                        value.equals("unset") ? "unset OLDPWD" : "OLDPWD=" + value + "; export OLDPWD",
                        Map.of(),
                        List.of("--quiet"),
                        "sh",
                        "-c",
                        show);

                assertThat(ended.out()).as("%s: %s", runs, ended.err()).isEqualTo(value + "\n");
            }
        }
    }

    @Test
    @Tag("long")
    void without_a_locale_bytes_stay_as_they_are() throws Exception {
        String odd = "h\\303\\244user";
        for (String value : List.of("unset", "C", "POSIX")) {
            String locale = value.equals("unset") ? "unset LC_ALL" : "LC_ALL=" + value + "; export LC_ALL";
            for (Runs runs : Runs.all(folder)) {
                Runs.Ended ended = runs.runAfter(
                        "unset LC_CTYPE LANG; " + locale + "; HOME=/no/$(printf '" + odd
                                + "'); export HOME; set -- \"$@\" \"$HOME\"",
                        Map.of(),
                        List.of("--quiet"),
                        "sh",
                        "-c",
                        "[ \"$HOME\" = \"$1\" ] && [ \"$HOME\" = /no/$(printf '" + odd
                                + "') ] && echo same ${LC_ALL-unset}",
                        "sh");

                assertThat(ended.out())
                        .as("%s, %s: %s", locale, runs, ended.err())
                        .isEqualTo("same " + value + "\n");
            }
        }
    }

    @Test
    void options_of_the_program_are_not_those_of_the_run() throws Exception {
        Path program = folder.resolve("options");
        Files.writeString(program, "#!/bin/sh\necho \"$@\"\n[ -n \"$https_proxy\" ]");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));

        for (Runs runs : Runs.all(folder)) {
            List<String> command = new ArrayList<>(runs.command(List.of("--quiet"), program.toString()));
            command.remove("--");
            command.addAll(List.of("--isolate", "env", "--secret", "A=env:PATH@x", "--help"));
            Path out = Files.createTempFile(folder, "out", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().putAll(Sallyport.JAVA);
            int code = builder.start().waitFor();

            assertThat(Files.readString(out)).contains("--isolate env --secret A=env:PATH@x --help\n");
            assertThat(code).as(runs.toString()).isEqualTo(runs.isolation().equals("env") ? 0 : 1);
        }
    }
}
