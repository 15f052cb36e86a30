package dev.sallyport.transforms.hmacsign;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;

import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemes of real services, with the keys, requests and signatures that their public documentation shows. */
class RealWorldTest {

    private static TransformHarness harness(
            String key, long timestamp, String message, String headers, String credentials) {
        return TransformHarness.of("""
                        transforms:
                          - name: hmac_sign
                            config:
                              timestamp: {format: unix_seconds}
                              signature: {algorithm: sha256, key_encoding: raw, output_encoding: hex, message: "%s"}
                              credentials: {secret: {type: fake, name: KEY}%s}
                              headers: [%s]
                              rules: [{host: "*.example.com"}]
                        """.formatted(message, credentials, headers))
                .secrets(new FakeSecrets().set("KEY", key).set("ID", "LAqUlngMIQkIUjXMUreyu3qn"))
                .at(Instant.ofEpochSecond(timestamp))
                .start();
    }

    /** An exchange: BitMEX, "API Key Usage", its three examples; {@code api-expires} stands where the time does. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            1518064236 | GET  | /api/v1/instrument | `` | c7682d435d0cfe87c16098df34ef2eb5a549d4c5a3c2b1f0f77b8af73423bf00
            1518064237 | GET  | /api/v1/instrument?filter=%7B%22symbol%22%3A+%22XBTM15%22%7D | `` | e2f422547eecb5b3cb29ade2127e21b858b235b386bfa45e1c1756eb3383919f
            1518064238 | POST | /api/v1/order | {"symbol":"XBTM15","price":219.0,"clOrdID":"mm_bitmex_1a/oemUeQ4CAJZgP3fjHsA","orderQty":98} | 1749cd2ccae4aa49048ae09f0b95110cee706e0944e6a14ad0b3a8cb45bd336b
            """)
    void anExchange(long expires, String method, String target, String body, String signature) {
        try (TransformHarness harness = harness(
                "chNOOS4KvNXR_Xq4k4c9qsfoKWvnDecLATCRlcBwyKDYnWgO",
                expires,
                "{{.Method}}{{.PathWithQuery}}{{.Timestamp}}{{.Body}}",
                "{name: api-expires, value: '{{.Timestamp}}'}, {name: api-key, value: '{{.Credentials.key}}'},"
                        + " {name: api-signature, value: '{{.Signature}}'}",
                ", key: {type: fake, name: ID}")) {
            TestRequest request = TestRequest.of(method, "https://exchange.example.com" + target);
            assertThat(harness.send(body.isEmpty() ? request : request.body(body)))
                    .hasForwardedHeader("api-expires", Long.toString(expires))
                    .hasForwardedHeader("api-key", "LAqUlngMIQkIUjXMUreyu3qn")
                    .hasForwardedHeader("api-signature", signature);
        }
    }

    /** A sender of webhooks: GitHub, "Validating webhook deliveries". */
    @Test
    void aSenderOfWebhooks() {
        try (TransformHarness harness = harness(
                "It's a Secret to Everybody",
                0,
                "{{.Body}}",
                "{name: X-Hub-Signature-256, value: 'sha256={{.Signature}}'}",
                "")) {
            assertThat(harness.send(TestRequest.post("https://hooks.example.com/", "text/plain", "Hello, World!")))
                    .hasForwardedHeader(
                            "X-Hub-Signature-256",
                            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
        }
    }

    /** A messaging service: Slack, "Verifying requests from Slack". */
    @Test
    void aMessagingService() {
        String body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
                + "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
                + "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
                + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        try (TransformHarness harness = harness(
                "8f742231b10e8888abcd99yyyzzz85a5",
                1531420618,
                "v0:{{.Timestamp}}:{{.Body}}",
                "{name: X-Slack-Request-Timestamp, value: '{{.Timestamp}}'},"
                        + " {name: X-Slack-Signature, value: 'v0={{.Signature}}'}",
                "")) {
            assertThat(harness.send(
                            TestRequest.post("https://hooks.example.com/", "application/x-www-form-urlencoded", body)))
                    .hasForwardedHeader("X-Slack-Request-Timestamp", "1531420618")
                    .hasForwardedHeader(
                            "X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503");
        }
    }
}
