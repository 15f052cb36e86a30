package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that people use, speaking HTTP/2 to a whole proxy, with an origin of HTTP/1.1 behind it. */
class Http2ClientsTest {

    @TempDir
    Path folder;

    /** Sends back the request line and the body. */
    private static void echo(Wire peer) throws Exception {
        while (true) {
            String head = peer.readHead();
            String lower = head.toLowerCase(Locale.ROOT);
            String body = "";
            if (lower.contains("transfer-encoding: chunked")) {
                body = peer.chunks();
            } else if (lower.contains("content-length: ")) {
                int at = lower.indexOf("content-length: ") + 16;
                body = peer.read(Integer.parseInt(
                        head.substring(at).lines().findFirst().orElseThrow().strip()));
            }
            peer.send(TestOrigin.ok(head.lines().findFirst().orElseThrow() + "|" + body));
        }
    }

    @Test
    void javasClientIsInspectedThroughATunnel() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, Http2ClientsTest::echo);
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .transform(
                                "x",
                                request -> Decision.proceed(
                                        Edits.builder().setPath("/edited").build()))
                        .start();
                HttpClient client = HttpClient.newBuilder()
                        .proxy(ProxySelector.of(proxy.proxy().tunnelAddress()))
                        .sslContext(certificates.client)
                        .build()) {
            URI uri = URI.create("https://localhost:" + origin.port() + "/a?b");
            HttpResponse<String> first = client.sendAsync(
                            HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(first.body()).isEqualTo("GET /edited?b HTTP/1.1|");

            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                HttpRequest request = HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.ofString(i + "-".repeat(i * 4000)))
                        .build();
                answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i)
                                .get(Patience.SECONDS, TimeUnit.SECONDS)
                                .body())
                        .isEqualTo("POST /edited?b HTTP/1.1|" + i + "-".repeat(i * 4000));
            }
            for (int i = 0; i < 51; i++) {
                JsonNode audit = proxy.record().get("audit");
                assertThat(audit.get("protocol").asText()).isEqualTo("h2");
                assertThat(audit.get("action").asText()).isEqualTo("allow");
                assertThat(audit.get("status_code").asInt()).isEqualTo(200);
            }
        }
    }

    @Test
    void curlNegotiatesInATunnelAndKnowsBeforehand() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Path upload = Files.writeString(folder.resolve("upload"), "u".repeat(300_000));
        try (TestOrigin secure = TestOrigin.tls(certificates.origin, Http2ClientsTest::echo);
                TestOrigin plain = TestOrigin.of(Http2ClientsTest::echo);
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start()) {
            String version = "\\n%{http_version} %{http_code}";
            String tunnelled = run(
                    "curl",
                    "-sS",
                    "-x",
                    "http://" + text(proxy.proxy().tunnelAddress()),
                    "--cacert",
                    certificates.caCert.toString(),
                    "-w",
                    version,
                    "--data-binary",
                    "@" + upload,
                    "https://localhost:" + secure.port() + "/a");
            assertThat(tunnelled).isEqualTo("POST /a HTTP/1.1|" + "u".repeat(300_000) + "\n2 200");

            String known = run(
                    "curl",
                    "-sS",
                    "--http2-prior-knowledge",
                    "-H",
                    "Host: " + plain.authority(),
                    "-w",
                    version,
                    "http://" + text(proxy.proxy().httpAddress()) + "/b?c");
            assertThat(known).isEqualTo("GET /b?c HTTP/1.1|\n2 200");
        }
    }

    /** curl before 8 reports the stream's reset instead of the answer when both come together. */
    @Test
    void whoStillUploadsSeesTheRefusal() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Path upload = Files.write(folder.resolve("upload"), new byte[8 * 1024 * 1024]);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, Http2ClientsTest::echo);
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .transform("no", request -> Decision.reject(403, "no_entry", "Not this path."))
                        .start();
                HttpClient client = HttpClient.newBuilder()
                        .proxy(ProxySelector.of(proxy.proxy().tunnelAddress()))
                        .sslContext(certificates.client)
                        .build()) {
            String uri = "https://localhost:" + origin.port() + "/upload";
            for (int i = 0; i < 10; i++) {
                String seen = run(
                        "curl",
                        "-sS",
                        "--http2",
                        "-x",
                        "http://" + text(proxy.proxy().tunnelAddress()),
                        "--cacert",
                        certificates.caCert.toString(),
                        "-w",
                        "\\n%{http_version} %{http_code}",
                        "-T",
                        upload.toString(),
                        uri);
                assertThat(seen).contains("no_entry").endsWith("2 403");
                assertThat(proxy.record().get("audit").get("status_code").asInt())
                        .isEqualTo(403);
            }
            HttpResponse<String> answer = client.sendAsync(
                            HttpRequest.newBuilder(URI.create(uri))
                                    .PUT(HttpRequest.BodyPublishers.ofFile(upload))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("no_entry");
        }
    }

    @Test
    void nghttpReadsManyAnswersOnOneConnection() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Http2ClientsTest::echo);
                TestProxy proxy = TestProxy.builder(folder).start()) {
            String load = run(
                    "h2load",
                    "-n",
                    "300",
                    "-c",
                    "2",
                    "-m",
                    "50",
                    "-H",
                    ":authority: " + origin.authority(),
                    "http://" + text(proxy.proxy().httpAddress()) + "/x");

            assertThat(load).contains("300 succeeded, 0 failed").contains("status codes: 300 2xx");
        }
    }

    private static String text(InetSocketAddress address) {
        return "127.0.0.1:" + address.getPort();
    }

    private String run(String... command) throws IOException, InterruptedException {
        boolean installed = Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, command[0])));
        assumeTrue(installed, command[0] + " is not installed");
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }
}
