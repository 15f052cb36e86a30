package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that people use, where this machine has them. */
@Timeout(60)
class SniOnlyClientsTest {

    @TempDir
    Path folder;

    private String run(String... command) throws IOException, InterruptedException {
        assumeTrue(
                Pattern.compile(File.pathSeparator)
                        .splitAsStream(System.getenv("PATH"))
                        .anyMatch(bin -> Path.of(bin, command[0]).toFile().canExecute()),
                command[0]);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    private static String address(TestProxy proxy) {
        return "127.0.0.1:" + proxy.proxy().httpsAddress().getPort();
    }

    @Test
    void curlVerifiesTheOriginOnTheHttpsListener() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        String roots = made.originPem.toString();
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy =
                        TestProxy.builder(folder).sniOnly(origin.port()).start()) {
            String to = "localhost:443:" + address(proxy);
            assertThat(run("curl", "-sS", "--cacert", roots, "--connect-to", to, "https://localhost/"))
                    .isEqualTo("hello");
        }
    }

    @Test
    void curlVerifiesTheOriginThroughATunnel() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        String roots = made.originPem.toString();
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder).sniOnly(443).start()) {
            String tunnel = "http://127.0.0.1:" + proxy.proxy().tunnelAddress().getPort();
            String url = "https://localhost:" + origin.port() + "/";
            assertThat(run("curl", "-sS", "--cacert", roots, "-x", tunnel, url)).isEqualTo("hello");
        }
    }

    @Test
    void curlVerifiesTheOriginThroughSocks() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        String roots = made.originPem.toString();
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder).sniOnly(443).start()) {
            String socks = "127.0.0.1:" + proxy.proxy().tunnelAddress().getPort();
            String url = "https://localhost:" + origin.port() + "/";
            assertThat(run("curl", "-sS", "--cacert", roots, "--socks5-hostname", socks, url))
                    .isEqualTo("hello");
            JsonNode record = proxy.record();
            assertThat(record.get("tunnel").get("target").asText()).isEqualTo("localhost:" + origin.port());
            assertThat(record.get("audit").get("mode").asText()).isEqualTo("sni-only");
        }
    }

    @Test
    void opensslNamesTheAlert() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .sniOnly(443)
                .transform("gate", request -> Decision.reject(403, "no", "No."))
                .start()) {
            for (String version : List.of("-tls1_2", "-tls1_3")) {
                assertThat(run(
                                "openssl",
                                "s_client",
                                "-connect",
                                address(proxy),
                                "-servername",
                                "denied.test",
                                version))
                        .contains("alert access denied");
            }
        }
    }
}
