package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code init} on a terminal, and {@code learn} between pipes: docs/cli.md. */
class FirstStepsIT {

    private static final String RECORD = """
            {"time":"2026-01-02T03:04:05.678Z","level":"INFO","msg":"request","exchange_id":"a","audit":{"host":"api.example.com","port":443,"method":"GET","path":"/users/1234?x=1","sni":"api.example.com","mode":"mitm","action":"ACTION"},"request_transforms":[]}
            """;

    @TempDir
    private Path folder;

    @Test
    void init_asks_on_a_terminal() throws Exception {
        assumeTrue(works("script"), "needs script");
        String command = Sallyport.distribution().resolve("bin/sallyport") + " init --metrics disabled";
        Path shown = folder.resolve("shown.txt");
        ProcessBuilder builder = new ProcessBuilder("script", "-qec", command, "/dev/null")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(shown.toFile());
        builder.environment().putAll(Sallyport.JAVA);
        Process script = builder.start();

        script.getOutputStream().write("4\ndocs.example.com\n".getBytes(StandardCharsets.UTF_8));
        script.getOutputStream().flush();

        assertThat(script.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(script.exitValue()).as(Files.readString(shown)).isZero();
        assertThat(Files.readString(shown))
                .contains("What is the proxy for?", "  4  everything logged, nothing blocked", "Next:");
        assertThat(Files.readString(folder.resolve("proxy.yaml")))
                .contains("warn: true", "        - docs.example.com", "listen: disabled");
    }

    @Test
    void learn_reads_standard_input_and_writes_the_policy_alone_with_comments() throws Exception {
        Sallyport.Ended ended = learn(RECORD.replace("ACTION", "allow") + "{\"msg\":\"request\"");

        assertThat(ended.out()).isEqualTo("""
                # learned from 1 request to 1 host, of 1 record in -
                # left out: 1 line without a readable record, such as -:2: the rest of the record is missing
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /users/* # * is a number; covers what lies below too
                """);
        assertThat(ended.err()).isEqualTo("""
                sallyport: learned from 1 request to 1 host, of 1 record in -
                sallyport: left out: 1 line without a readable record, such as -:2: the rest of the record is missing
                """);
        assertThat(ended.code()).isZero();
    }

    @Test
    void learn_from_nothing_is_a_problem() throws Exception {
        Sallyport.Ended ended = learn(RECORD.replace("ACTION", "error"));

        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isEqualTo("""
                sallyport: -: nothing to learn from (expected: a request that was let through)
                sallyport: left out: 1 request without a verdict of every gate, such as GET api.example.com:443/users/1234 (-:1)
                """);
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void learn_with_a_configuration_that_has_a_problem() throws Exception {
        Files.writeString(folder.resolve("proxy.yaml"), "transforms: [{name: alowlist}]\n");
        Files.writeString(folder.resolve("audit.jsonl"), RECORD.replace("ACTION", "allow"));

        Sallyport.Ended ended = Sallyport.run(folder, "learn", "audit.jsonl", "-config", "proxy.yaml");

        assertThat(ended.err())
                .contains("sallyport: proxy.yaml:1:21: /transforms/0/name: ")
                .contains("allowlist?");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void learn_writes_nothing_for_patch_when_nothing_is_missing() throws Exception {
        Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                proxy: {tunnel_listen: "127.0.0.1:0"}
                tls: {mode: sni-only}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - host: api.example.com
                """);
        Files.writeString(folder.resolve("audit.jsonl"), RECORD.replace("ACTION", "allow"));

        Sallyport.Ended ended = Sallyport.run(folder, "learn", "audit.jsonl", "-config", "proxy.yaml");

        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isEqualTo("sallyport: learned from 1 request to 1 host, of 1 record in audit.jsonl\n");
        assertThat(ended.code()).isZero();
    }

    private Sallyport.Ended learn(String log) throws IOException, InterruptedException {
        Path launcher = Files.writeString(
                folder.resolve("learn.sh"), "exec \"$SALLYPORT\" learn - <<'END'\n" + log.strip() + "\nEND\n");
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder = new ProcessBuilder("sh", launcher.toString())
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(Sallyport.JAVA);
        builder.environment()
                .put(
                        "SALLYPORT",
                        Sallyport.distribution().resolve("bin/sallyport").toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return new Sallyport.Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static boolean works(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
