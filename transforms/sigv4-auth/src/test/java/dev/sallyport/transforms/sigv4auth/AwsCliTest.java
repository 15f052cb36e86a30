package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line of AWS, where it is installed, with nothing told but the proxy and its authority. */
@Timeout(300)
class AwsCliTest {

    @TempDir
    Path folder;

    private String aws(S3Gate gate, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("aws", "--endpoint-url", gate.endpoint().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment
                .keySet()
                .removeIf(name ->
                        name.startsWith("AWS_") || name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        environment.putAll(Map.of(
                "AWS_ACCESS_KEY_ID",
                Workload.FAKE_ID,
                "AWS_SECRET_ACCESS_KEY",
                "none",
                "AWS_DEFAULT_REGION",
                "eu-west-1",
                "AWS_CA_BUNDLE",
                gate.authority().toString(),
                "AWS_CONFIG_FILE",
                Files.writeString(folder.resolve("config"), "[default]\ns3 =\n  addressing_style = path\n")
                        .toString(),
                "AWS_MAX_ATTEMPTS",
                "1",
                "HTTPS_PROXY",
                gate.proxy().toString(),
                "HTTP_PROXY",
                gate.proxy().toString(),
                "NO_PROXY",
                ""));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as("%s\n%s\n%s", command, output, gate.server().mistakes())
                .isZero();
        return output;
    }

    private static boolean installed() {
        try {
            return new ProcessBuilder("aws", "--version")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("long")
    void filesAreCopiedListedAndRemoved() throws Exception {
        assumeTrue(installed(), "aws is not installed");
        byte[] content = new byte[9 << 20];
        new Random(1).nextBytes(content);
        Path small = Files.writeString(folder.resolve("small file.txt"), "some content");
        Path big = Files.write(folder.resolve("big"), content);
        for (boolean secure : new boolean[] {true, false}) {
            try (S3Gate gate = new S3Gate(folder, secure)) {
                aws(gate, "s3", "cp", small.toString(), "s3://bucket/small file.txt");
                aws(gate, "s3", "cp", big.toString(), "s3://bucket/big");
                assertThat(gate.server().object("big")).isEqualTo(content);
                assertThat(aws(gate, "s3", "ls", "s3://bucket/")).contains("small file.txt", "9437184 big");
                Path back = folder.resolve("back");
                aws(gate, "s3", "cp", "s3://bucket/big", back.toString());
                assertThat(back).hasBinaryContent(content);
                aws(gate, "s3", "rm", "s3://bucket/big");
                assertThat(gate.server().object("big")).isNull();
                assertThat(gate.server().mistakes()).isEmpty();
            }
        }
    }
}
