package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.ReloadResult;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reload changes of limits holds from the next exchange on. */
@Timeout(60)
class ReloadedLimitsTest {

    private static final InlineTransform READING =
            request -> Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed()));
    private static final InlineTransform READING_RESPONSES = request -> Decision.proceed(
            Edits.none(),
            ResponseStep.inline(response ->
                    ResponseDecision.read(Buffered.whole(), ResponseStep.inline(read -> ResponseDecision.proceed()))));

    @TempDir
    Path folder;

    private Path file;
    private TestProxy.Builder builder;

    @BeforeEach
    void prepare() {
        file = folder.resolve("sallyport.yaml");
        builder = TestProxy.builder(folder);
    }

    private void configure(String... lines) throws Exception {
        String[] all = new String[lines.length + 1];
        all[0] = "upstream_deny_cidrs: []";
        System.arraycopy(lines, 0, all, 1, lines.length);
        Files.writeString(file, builder.proxyLines(all).yaml());
    }

    private void reload(TestProxy proxy, String... lines) throws Exception {
        configure(lines);
        assertThat(proxy.proxy().reload())
                .isInstanceOfSatisfying(
                        ReloadResult.Reloaded.class,
                        reloaded -> assertThat(reloaded.restartRequired()).isEmpty());
    }

    /** Answers every request on every connection. */
    private static TestOrigin answering(String answer) throws Exception {
        return TestOrigin.of(peer -> {
            while (true) {
                peer.message();
                peer.send(answer);
            }
        });
    }

    private static int post(TestProxy proxy, TestOrigin origin, int length) throws Exception {
        try (Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: " + length)
                    + "x".repeat(length));
            return client.message().status();
        }
    }

    @Test
    void theCapOfRequestBodies() throws Exception {
        configure("max_request_body_bytes: 10");
        try (TestOrigin origin = answering(TestOrigin.ok("ok"));
                TestProxy proxy = builder.transform("reading", READING).start(file)) {
            assertThat(post(proxy, origin, 11)).isEqualTo(413);
            reload(proxy, "max_request_body_bytes: 11");
            assertThat(post(proxy, origin, 11)).isEqualTo(200);
        }
    }

    @Test
    void theCapOfResponseBodies() throws Exception {
        configure("max_response_body_bytes: 10");
        try (TestOrigin origin = answering(TestOrigin.ok("eleven more"));
                TestProxy proxy =
                        builder.transform("reading", READING_RESPONSES).start(file)) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(502);
            reload(proxy, "max_response_body_bytes: 11");
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
        }
    }

    @Test
    void theBytesThatAreBuffered() throws Exception {
        configure("max_request_body_bytes: 4194304");
        try (TestOrigin origin = answering(TestOrigin.ok("ok"));
                TestProxy proxy = builder.transform("reading", READING).start(file)) {
            assertThat(post(proxy, origin, 3 << 20)).isEqualTo(200);
            reload(proxy, "max_request_body_bytes: 4194304", "limits: {buffered_bytes: 1MiB}");
            assertThat(post(proxy, origin, 3 << 20)).isEqualTo(503);
        }
    }

    /** No other limit is near: what refuses is the budget, and nothing else. */
    @Test
    void theBytesOfHeadsThatAreHeld() throws Exception {
        String others = "header_bytes: 1MiB, connection_head_bytes: 64MiB";
        String line = "X-Long: " + "x".repeat(8000) + "\r\n";
        configure("limits: {" + others + ", buffered_head_bytes: 32MiB}");
        try (TestProxy proxy = builder.transform(
                        "refusing", request -> Decision.reject(403, "not_here", "Nobody is served."))
                .start(file)) {
            String head = "GET / HTTP/1.1\r\nHost: api.example\r\n" + line.repeat(120) + "\r\n";
            assertThat(statusOf(proxy, head)).isEqualTo(403);
            reload(proxy, "limits: {" + others + ", buffered_head_bytes: 1MiB}");
            assertThat(statusOf(proxy, head)).isEqualTo(503);
            reload(proxy, "limits: {" + others + ", buffered_head_bytes: 32MiB}");
            assertThat(statusOf(proxy, head)).isEqualTo(403);
        }
    }

    private static int statusOf(TestProxy proxy, String head) throws Exception {
        try (Wire client = proxy.http()) {
            return client.send(head).message().status();
        }
    }

    @Test
    void whetherAlternativeServicesAreStripped() throws Exception {
        String answer = head("HTTP/1.1 200 OK", "Alt-Svc: h3=\":443\"", "Content-Length: 1") + "x";
        configure("strip_alt_svc: true");
        try (TestOrigin origin = answering(answer);
                TestProxy proxy = builder.start(file)) {
            assertThat(proxy.get(origin, "/").head()).doesNotContain("Alt-Svc");
            reload(proxy, "strip_alt_svc: false");
            assertThat(proxy.get(origin, "/").head()).contains("Alt-Svc");
        }
    }

    @Test
    void howLongRelaysMayBeSilent() throws Exception {
        configure();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head(
                            "HTTP/1.1 101 Switching Protocols",
                            "Connection: Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
                    peer.readToEnd();
                });
                TestProxy proxy = builder.start(file)) {
            reload(proxy, "limits: {relay_idle_timeout: 200ms}");
            try (Wire client = proxy.http()) {
                client.send(head(
                        "GET / HTTP/1.1",
                        "Host: " + origin.authority(),
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
                assertThat(client.readHead()).startsWith("HTTP/1.1 101");
                client.readToEnd(); // within the test's time, which is shorter than an hour
            }
        }
    }

    @Test
    void whichAddressesMayNotBeDialled() throws Exception {
        configure();
        try (TestOrigin origin = answering(TestOrigin.ok("ok"));
                TestProxy proxy = builder.start(file)) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            Files.writeString(
                    file,
                    builder.proxyLines("upstream_deny_cidrs: [127.0.0.0/8]").yaml());
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(proxy.get(origin, "/").body()).contains("upstream_denied");
        }
    }

    @Test
    void whetherResponsesAreSearched() throws Exception {
        InlineTransform injects = request -> Decision.proceed(Edits.builder()
                .sensitive()
                .setHeader("X-Key", "r34l-credential")
                .build());
        String answer = head("HTTP/1.1 200 OK", "Content-Length: 15") + "r34l-credential";
        configure();
        Files.writeString(file, Files.readString(file).replace("redact_responses: swapped", "redact_responses: off"));
        try (TestOrigin origin = answering(answer);
                TestProxy proxy = builder.transform("injects", injects).start(file)) {
            assertThat(proxy.get(origin, "/").body()).isEqualTo("r34l-credential");
            configure();
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(proxy.get(origin, "/").body()).doesNotContain("r34l");
        }
    }

    /** {@code metrics.listen} is ours, though another module opens it. */
    @Test
    void theMetricsListenerIsNotReachedThroughTheProxy() throws Exception {
        try (TestOrigin metrics = answering(TestOrigin.ok("metrics"))) {
            Files.writeString(file, builder.yaml().replace("listen: disabled", "listen: 127.0.0.1:" + metrics.port()));
            try (TestProxy proxy = builder.start(file)) {
                Wire.Message answer = proxy.get(metrics, "/");
                assertThat(answer.status()).isEqualTo(502);
                assertThat(answer.body()).contains("upstream_denied");
                assertThat(metrics.connections()).isZero();
            }
        }
    }
}
