package dev.sallyport.transforms.hmacsign;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.Upstream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a service says of a request must not show what it was signed with. */
class EchoTest {

    private static final String ID = "client-id/4711+of=the-operator";
    private static final String REQUEST = "https://api.example.com/orders";

    private static TransformHarness harness(String more, Upstream upstream) {
        return TransformHarness.of("""
                        transforms:
                          - name: hmac_sign
                            config:
                              timestamp: {format: unix_seconds}
                              signature: {algorithm: sha256, key_encoding: raw, output_encoding: base64, message: '{{.Path}}'}
                              credentials: {secret: {type: fake, name: KEY}, id: {type: fake, name: ID}}
                              headers:
                                - {name: X-Id, value: 'id {{.Credentials.id}}'}
                                - {name: X-Sign, value: 'v1={{.Signature}}'}
                              rules: [{host: api.example.com}]
                              %s
                        """.formatted(more))
                .secrets(new FakeSecrets().set("KEY", "a key of some length").set("ID", ID))
                .upstream(upstream)
                .start();
    }

    @Test
    void neitherCredentialNorSignatureComesBack() {
        Upstream echoing = request -> TestResponse.status(403)
                .header("X-Echo", request.header("X-Id") + " " + request.header("X-Sign"))
                .body("refused: " + request.headers())
                .trailer("X-Last", String.valueOf(request.header("X-Sign")));
        try (TransformHarness harness = harness("", echoing)) {
            for (int i = 0; i < 3; i++) {
                ExchangeResult result = harness.send(TestRequest.get(REQUEST));

                String signature =
                        String.valueOf(result.sent().header("X-Sign")).substring("v1=".length());
                assertThat(result).hasForwardedHeader("X-Id", "id " + ID);
                assertThat(result.body()).doesNotContain(ID, signature).contains("SALLYPORT_REDACTED");
                assertThat(result.headers().first("X-Echo")).isEqualTo("id SALLYPORT_REDACTED v1=SALLYPORT_REDACTED");
                assertThat(result.trailers().first("X-Last")).isEqualTo("v1=SALLYPORT_REDACTED");
                assertThat(result.responseAnnotations("hmac_sign").get("redacted"))
                        .isEqualTo(List.of(
                                Map.of("secret", "ID", "locations", List.of("header:X-Echo", "body")),
                                Map.of(
                                        "secret",
                                        "signature",
                                        "locations",
                                        List.of("header:X-Echo", "body", "trailer:X-Last"))));
            }
        }
    }

    @Test
    void whatWasStoredIsNotRead() {
        AtomicReference<String> stored = new AtomicReference<>("");
        Upstream storing = request -> {
            stored.compareAndSet("", String.valueOf(request.header("X-Id")));
            return TestResponse.ok("stored: " + stored.get());
        };
        try (TransformHarness harness = harness("", storing)) {
            harness.send(TestRequest.get(REQUEST));

            assertThat(harness.send(TestRequest.get(REQUEST)).body()).isEqualTo("stored: id SALLYPORT_REDACTED");
        }
    }

    @Test
    void whatATemplateMakesOfThemDoesNotComeBackEither() {
        AtomicReference<String> stored = new AtomicReference<>("");
        Upstream storing = request -> {
            stored.compareAndSet("", request.header("X-Id") + " then " + request.header("X-Sign"));
            return TestResponse.ok(stored + ", now " + request.header("X-Id") + " " + request.header("X-Sign"));
        };
        try (TransformHarness harness = TransformHarness.of("""
                        transforms:
                          - name: hmac_sign
                            config:
                              timestamp: {format: unix_nanos}
                              signature: {algorithm: sha256, key_encoding: raw, output_encoding: base64, message: '{{.Path}}'}
                              credentials: {secret: {type: fake, name: KEY}, id: {type: fake, name: ID}}
                              headers:
                                - {name: X-Id, value: 'at {{.Timestamp}} {{printf "%x" .Credentials.id}} of id'}
                                - {name: X-Sign, value: 'v1={{printf "%x" .Signature}}'}
                              rules: [{host: api.example.com}]
                        """)
                .secrets(new FakeSecrets().set("KEY", "a key of some length").set("ID", ID))
                .upstream(storing)
                .start()) {
            String hex = HexFormat.of().formatHex(ID.getBytes(StandardCharsets.ISO_8859_1));
            for (int i = 0; i < 2; i++) {
                ExchangeResult result = harness.send(TestRequest.get(REQUEST));

                assertThat(result.sent().header("X-Id")).contains(" " + hex + " of id");
                assertThat(result.body())
                        .doesNotContain(hex, String.valueOf(result.sent().header("X-Sign")))
                        .contains("SALLYPORT_REDACTED of id then", "v1=SALLYPORT_REDACTED");
            }
        }
    }

    @Test
    void offLeavesResponsesAlone() {
        Upstream echoing = request -> TestResponse.ok(String.valueOf(request.header("X-Id")));
        try (TransformHarness harness = harness("redact_response: off", echoing)) {
            assertThat(harness.send(TestRequest.get(REQUEST)).body()).isEqualTo("id " + ID);
        }
    }
}
