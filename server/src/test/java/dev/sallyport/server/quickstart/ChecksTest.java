package dev.sallyport.server.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.Failure;
import dev.sallyport.server.terminal.Palette;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChecksTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Checks checks = new Checks(new PrintStream(out, true, StandardCharsets.UTF_8), new Palette(false));

    @Test
    void all_is_good_with_the_client_of_java() throws Exception {
        try (Quickstart quickstart = start()) {
            boolean good =
                    checks.run(quickstart, new JavaClient(quickstart.proxyAddress(), quickstart.caCertificate()));

            assertThat(text())
                    .startsWith("Sallyport quickstart: checking with Java's HTTP client\n")
                    .endsWith("all good\n");
            assertThat(good).isTrue();
        }
    }

    @Test
    void the_control_plane_of_a_check_leaves_nothing_and_takes_nothing() throws Exception {
        // given: folders and a key that are not its own
        Path others = Files.createDirectories(folder.resolve("control")).resolve("mine.txt");
        Files.writeString(others, "mine");
        Files.writeString(folder.resolve("api-key"), "mine");

        start().close();

        assertThat(others).hasContent("mine");
        assertThat(folder.resolve("api-key")).hasContent("mine");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("control-"));
        }
    }

    @Test
    void an_answer_that_is_not_the_expected_one_is_told() throws Exception {
        try (Quickstart quickstart = start()) {
            // given: a workload that gets everywhere and sees no key
            Client client = new JavaClient(quickstart.proxyAddress(), quickstart.caCertificate());
            boolean good = checks.run(quickstart, new Client() {
                @Override
                public String name() {
                    return "a client that misreports";
                }

                @Override
                public SampleResponse send(SampleRequest sample) throws Failure, InterruptedException {
                    client.send(sample);
                    return new SampleResponse(200, "welcome");
                }
            });

            assertThat(good).isFalse();
            assertThat(text())
                    .contains("FAIL  Allowed. The workload sends a placeholder")
                    .contains("the API did not receive the key")
                    .contains("the workload got 200 (expected: 403): welcome")
                    .endsWith("10 failed\n");
        }
    }

    private Quickstart start() throws Exception {
        return Quickstart.start(new Quickstart.Settings(folder, true, checks.sink()));
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
