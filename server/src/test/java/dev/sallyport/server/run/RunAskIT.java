package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.cli.Sallyport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport run --ask} at a terminal: docs/run.md. */
class RunAskIT {

    @TempDir
    private Path folder;

    private AskedRuns asked;

    @BeforeEach
    void origin() throws Exception {
        asked = new AskedRuns(folder);
    }

    @AfterEach
    void end() throws IOException {
        asked.close();
    }

    @Test
    void yes_lets_one_method_and_path_through_until_the_program_ends() throws Exception {
        for (Runs runs : Runs.both(folder)) {
            String said = asked.atTerminal(
                    runs,
                    "yes",
                    Map.of(),
                    List.of(),
                    "curl -sS %s; curl -sS '%s?again'; curl -sS -X POST %s"
                            .formatted(asked.url("/x"), asked.url("/x"), asked.url("/x")));

            assertThat(said)
                    .as(runs.toString())
                    .contains("not allowed: GET " + asked.url("/x"), "not allowed: POST " + asked.url("/x"))
                    .contains("let through  GET " + asked.url("/x"), "let through  POST " + asked.url("/x"))
                    .doesNotContain("credentials may be sent")
                    .endsWith("code 0\n");
            assertThat(said.split("from the origin", -1)).hasSize(4);
            assertThat(AskedRuns.questions(said)).isEqualTo(2);
        }
    }

    @Test
    void anything_else_refuses_the_host_and_it_is_not_asked_about_again() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs,
                    "no",
                    Map.of(),
                    List.of(),
                    "curl -sS -w '%%{http_code}\n' %s; curl -sS -w '%%{http_code}\n' %s"
                            .formatted(asked.url("/x"), asked.url("/y")));

            assertThat(said)
                    .as(runs.toString())
                    .contains("It was refused at the terminal.", "refused  " + asked.authority())
                    .doesNotContain("from the origin");
            assertThat(said.split("\n403\n", -1)).hasSize(3);
            assertThat(AskedRuns.questions(said)).isEqualTo(1);
        }
    }

    @Test
    @Tag("long")
    void the_program_does_not_take_the_answer_and_gets_what_is_typed_for_it() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs,
                    "yes",
                    Map.of(),
                    List.of(),
                    "(sleep 1; curl -sS -o fetched-$$ %s) & echo waiting for a line; read line;"
                                    .formatted(asked.url("/x"))
                            + " echo \"the program got: $line\"; wait; cat fetched-$$");

            assertThat(said)
                    .as(runs.toString())
                    .contains("the program got: for the program", "from the origin")
                    .endsWith("code 0\n");
        }
    }

    @Test
    void the_question_says_that_credentials_may_be_sent() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs,
                    "yes",
                    Map.of("REAL", "the-real-value-4711"),
                    List.of("--secret", "TOKEN=env:REAL@api.run.test"),
                    "curl -sS -H \"Authorization: $TOKEN\" " + asked.url("/x"));

            assertThat(said)
                    .as(runs.toString())
                    .contains("sallyport: with it, credentials may be sent there, by: secrets", "from the origin")
                    .doesNotContain("the-real-value");
        }
    }

    @Test
    @Tag("long")
    void a_program_that_uses_the_terminal_itself_is_not_disturbed() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs, "yes", Map.of(), List.of(), "stty raw; curl -sS %s; stty sane".formatted(asked.url("/x")));

            assertThat(said)
                    .as(runs.toString())
                    .contains("Nobody was asked: the program uses the terminal itself.")
                    .contains("not asked  https://" + asked.authority() + "; the program uses the terminal itself")
                    .doesNotContain("from the origin");
            assertThat(AskedRuns.questions(said)).isZero();
        }
    }

    @Test
    void another_job_that_has_the_terminal_is_not_disturbed() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(runs, "yes", Map.of(), List.of(), "set -m; curl -sS " + asked.url("/x"));

            assertThat(said).as(runs.toString()).contains("Nobody was asked: another job has the terminal.");
            assertThat(AskedRuns.questions(said)).isZero();
        }
    }

    /** What the program leaves in a folder of PATH would run without any confinement. */
    @Test
    void nothing_of_the_program_runs_to_ask() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxrwxrwx"));
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs, "yes", Map.of("PATH", tools + ":" + System.getenv("PATH")), List.of(), """
                    for tool in sh stty kill; do
                        printf '#!/bin/sh\\ntouch %s\\n' >tools/$tool
                        chmod +x tools/$tool
                    done
                    curl -sS %s
                    rm -f tools/*
                    """.formatted(
                                    folder.resolve("planted"), asked.url("/x")));

            assertThat(said).as(runs.toString()).contains("from the origin");
            assertThat(folder.resolve("planted")).doesNotExist();
        }
    }

    @Test
    void where_credentials_may_be_in_the_request_already_nobody_is_asked() throws Exception {
        String policy = Files.readString(folder.resolve("policy.yaml"));
        Files.writeString(folder.resolve("policy.yaml"), policy.replace("transforms:\n", """
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: REAL}
                          replace: {proxy_value: a-placeholder-4711}
                          rules: [{host: api.run.test}]
                """));
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(
                    runs, "yes", Map.of("REAL", "the-real-value-4711"), List.of(), "curl -sS " + asked.url("/x"));

            assertThat(said)
                    .as(runs.toString())
                    .contains("Nobody was asked: credentials may be in the request already.")
                    .doesNotContain("the-real-value");
            assertThat(AskedRuns.questions(said)).isZero();
        }
    }

    @Test
    void the_keyboard_ends_a_program_while_a_question_stands() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String said = asked.atTerminal(runs, "interrupt", Map.of(), List.of(), "exec curl -sS " + asked.url("/x"));

            assertThat(said)
                    .as(runs.toString())
                    .doesNotContain("from the origin")
                    .endsWith("code 130\n");
            assertThat(AskedRuns.questions(said)).isEqualTo(1);
        }
    }

    @Test
    void nothing_starts_where_nobody_can_be_asked() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            List<String> command = new ArrayList<>(List.of("setsid", "--wait"));
            command.addAll(runs.command(List.of("--ask"), "touch", "started"));
            Path out = Files.createTempFile(folder, "out", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().remove("CI");
            builder.environment().putAll(Sallyport.JAVA);

            assertThat(builder.start().waitFor()).as(runs.toString()).isEqualTo(2);
            assertThat(Files.readString(out)).contains("--ask: nobody can be asked: this process has no terminal");
            assertThat(asked.atTerminal(runs, "yes", Map.of("CI", "true"), List.of(), "touch started"))
                    .contains("--ask: nobody can be asked: this is a CI job")
                    .endsWith("code 2\n");
            assertThat(folder.resolve("started")).doesNotExist();
        }
    }
}
