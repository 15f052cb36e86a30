package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.server.Main;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A namespace that has the loopback interface alone, as a workload's may: nothing is said that is of no use there. */
class NoNetworkCardTest {

    private static final Duration PATIENCE = Patience.seconds(60);

    @TempDir
    Path folder;

    private static Process inNamespace(Path err, String script, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("unshare", "--map-root-user", "--net", "sh", "-c", script, "sh"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();
    }

    @Test
    @Tag("long")
    void theStartSaysNothingAboutIt() throws Exception {
        Path err = folder.resolve("err");
        Process attempt = inNamespace(err, "ip link set lo up");
        assumeTrue(
                attempt.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) && attempt.exitValue() == 0,
                "no network namespace for this user");
        Path config = Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                tls: {mode: sni-only}
                metrics: {listen: "127.0.0.1:0"}
                proxy: {http_listen: "127.0.0.1:0", https_listen: "127.0.0.1:0", tunnel_listen: "127.0.0.1:0"}
                transforms:
                  - {name: allowlist, config: {domains: [a.test]}}
                """);

        Process server = inNamespace(
                err,
                "ip link set lo up && exec \"$@\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "-config",
                config.toString());
        try {
            await().atMost(PATIENCE).until(() -> Files.readString(err).contains("ready after") || !server.isAlive());

            assertThat(err)
                    .content()
                    .contains("ready after")
                    .doesNotContain("WARN")
                    .doesNotContain("ERROR");
        } finally {
            server.destroy();
            server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            server.destroyForcibly();
        }
    }
}
