package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.scan.Placeholders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A credential leaves without TLS for an address nearby, or not at all (docs/spec/decisions.md, section 6). */
@Timeout(60)
class PlaintextCredentialTest {

    /** Neither near nor one to which a TCP connection could be made: the kernel refuses it on this machine. */
    private static final String FAR = "224.0.0.1";

    private static final InlineTransform WARN = request -> Decision.proceedWithoutCredentials();
    private static final InlineTransform INJECTOR = editing(injection(false));

    @TempDir
    Path folder;

    private static InlineTransform editing(Edits edits) {
        return request -> Decision.proceed(edits);
    }

    private static Edits injection(boolean overPlaintext) {
        return Edits.builder()
                .sensitive()
                .overPlaintext(overPlaintext)
                .setHeader("Authorization", "s3cret")
                .build();
    }

    private TestProxy proxy(InlineTransform transform) throws Exception {
        return TestProxy.builder(folder).transform("injector", transform).start();
    }

    private static Wire.Message get(TestProxy proxy, String host, String... lines) throws Exception {
        try (Wire client = proxy.http()) {
            String more = lines.length == 0 ? "" : Wire.lines(lines);
            return client.send("GET /p HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n")
                    .message();
        }
    }

    private static void assertRefused(TestProxy proxy, Wire.Message answer) throws Exception {
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.body())
                .contains("\"code\":\"plaintext_credential\"", "\"transform\":\"injector\"", "allow_plaintext");
        JsonNode record = proxy.record();
        assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
        assertThat(record.path("audit").path("status_code").asInt()).isEqualTo(403);
        assertThat(record.path("audit").path("upstream_addr").asText()).isEmpty();
        assertThat(record.path("rejected_by").asText()).isEqualTo("injector");
        assertThat(record.path("error").asText())
                .contains("plaintext_credential")
                .doesNotContain("s3cret");
    }

    /** What gets so far as to be dialled fails there. */
    private static void assertDialled(TestProxy proxy, Wire.Message answer) throws Exception {
        assertThat(answer.status()).isEqualTo(502);
        assertThat(proxy.record().path("error").asText()).contains("upstream_unreachable");
    }

    @ParameterizedTest
    @ValueSource(strings = {FAR, FAR + ":8080", "[::ffff:224.0.0.1]", "[ff02::1]", "[64:ff9b::e000:1]"})
    void isRefusedForAnAddressThatIsFar(String host) throws Exception {
        try (TestProxy proxy = proxy(INJECTOR)) {
            assertRefused(proxy, get(proxy, host));
        }
    }

    @Test
    void isRefusedInAnythingThatASignerWrites() throws Exception {
        Capabilities signs = Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.SIGNS)
                .build();
        Edits signature = Edits.builder().addHeader("X-Signature", "sig").build();
        try (TestProxy proxy = TestProxy.builder(folder)
                .transform("injector", signs, editing(signature))
                .start()) {
            assertRefused(proxy, get(proxy, FAR));
        }
    }

    @Test
    void isRefusedInMessagesOfAWebSocket() throws Exception {
        Placeholders placeholders = Placeholders.of(List.of("PLACEHOLDER".getBytes(StandardCharsets.US_ASCII)));
        Edits messages = Edits.builder()
                .sensitive()
                .rewriteMessages(
                        Direction.REQUEST, () -> placeholders.replacer().message(token -> new byte[] {'s'}))
                .build();
        try (TestProxy proxy = proxy(editing(messages))) {
            assertRefused(
                    proxy,
                    get(
                            proxy,
                            FAR,
                            "Connection: Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
        }
    }

    @Test
    void isNotEvenMade() throws Exception {
        AtomicInteger minted = new AtomicInteger();
        RequestStep mint = RequestStep.async(request -> {
            minted.incrementAndGet();
            return CompletableFuture.completedFuture(Decision.proceed(injection(false)));
        });
        try (TestProxy proxy = proxy(request -> Decision.later(mint))) {
            assertRefused(proxy, get(proxy, FAR));
            assertThat(minted).hasValue(0);
        }
    }

    @Test
    void isMadeForAnAddressNearbyAndWhereItMayGo() throws Exception {
        RequestStep mint =
                RequestStep.async(request -> CompletableFuture.completedFuture(Decision.proceed(injection(true))));
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    assertThat(peer.message().head()).contains("Authorization: s3cret");
                    peer.send(TestOrigin.ok("near"));
                });
                TestProxy proxy = proxy(request -> Decision.later(mint))) {
            assertThat(proxy.get(origin, "/").body()).isEqualTo("near");
        }
        try (TestProxy proxy = proxy(request -> Decision.later(mint).overPlaintext(true))) {
            assertDialled(proxy, get(proxy, FAR));
        }
    }

    @Test
    void goesAnywhereWhereItMay() throws Exception {
        try (TestProxy proxy = proxy(editing(injection(true)))) {
            assertDialled(proxy, get(proxy, FAR));
        }
    }

    @Test
    void isNoneWhereAWarningTakesItBack() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .transform("injector", INJECTOR)
                .transform("allowlist", Capabilities.none(), WARN)
                .start()) {
            assertDialled(proxy, get(proxy, FAR));
        }
    }

    @Test
    void isRefusedInAnAbsoluteFormAndInATunnelToo() throws Exception {
        try (TestProxy proxy = proxy(INJECTOR)) {
            try (Wire client = proxy.tunnel()) {
                assertRefused(
                        proxy,
                        client.send(head("GET http://" + FAR + "/ HTTP/1.1", "Host: " + FAR))
                                .message());
            }
            try (Wire client = proxy.tunnel()) {
                client.send(head("CONNECT " + FAR + ":80 HTTP/1.1", "Host: " + FAR + ":80"));
                assertThat(client.readHead()).startsWith("HTTP/1.1 200");
                assertRefused(
                        proxy,
                        client.send(head("GET / HTTP/1.1", "Host: " + FAR)).message());
            }
        }
    }

    /** A connection that was opened without a credential may lead to any address: it is not for one with. */
    @Test
    void doesNotGoOverAConnectionThatWasOpenedWithoutOne() throws Exception {
        InlineTransform sometimes = request ->
                request.head().target().equals("/with") ? Decision.proceed(injection(false)) : Decision.proceed();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        peer.message();
                        peer.send(TestOrigin.ok("ok"));
                    }
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .loops(1)
                        .transform("injector", sometimes)
                        .start()) {
            assertThat(proxy.get(origin, "/without").status()).isEqualTo(200);
            assertThat(proxy.get(origin, "/without").status()).isEqualTo(200);
            assertThat(origin.connections()).isEqualTo(1);
            assertThat(proxy.get(origin, "/with").status()).isEqualTo(200);
            assertThat(origin.connections()).isEqualTo(2);
            assertThat(proxy.get(origin, "/with").status()).isEqualTo(200);
            assertThat(origin.connections()).isEqualTo(2);
        }
    }
}
