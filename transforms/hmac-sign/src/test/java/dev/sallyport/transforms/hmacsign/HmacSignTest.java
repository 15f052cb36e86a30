package dev.sallyport.transforms.hmacsign;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "hmac_sign"; docs/spec/decisions.md, sections 6 and 7. */
class HmacSignTest {

    private static final String URL = "https://api.example.com/v1/a%20b?x=1&y=%2F";
    private static final String DATA = "what do ya want for nothing?";

    /** A configuration in pieces; tests change one of them. */
    private static final class Setup {
        String format = "unix_seconds";
        String algorithm = "sha256";
        String keyEncoding = "raw";
        String outputEncoding = "hex";
        String message = DATA;
        String headers = "[{name: x-SIGN, value: '{{.Signature}}'}]";
        String credentials = "{secret: {type: fake, name: KEY}, id: {type: fake, name: ID}}";
        String more = "";
        FakeSecrets secrets = new FakeSecrets().set("KEY", "Jefe").set("ID", "key-1");

        TransformHarness.Builder builder() {
            return TransformHarness.of("""
                            transforms:
                              - name: hmac_sign
                                config:
                                  timestamp: {format: %s}
                                  signature: {algorithm: %s, key_encoding: %s, output_encoding: %s, message: '%s'}
                                  credentials: %s
                                  headers: %s
                                  rules: [{host: api.example.com}]
                                  %s
                            """.formatted(
                            format, algorithm, keyEncoding, outputEncoding, message, credentials, headers, more))
                    .secrets(secrets);
        }

        TransformHarness start() {
            return builder().start();
        }

        List<ConfigProblem> problems() {
            return builder().problems();
        }
    }

    private static String hmac(String message) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("Jefe".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(message.getBytes(StandardCharsets.UTF_8)));
    }

    /** RFC 4231, test case 2, and RFC 2202, 3, test case 2. */
    @ParameterizedTest
    @CsvSource({
        "sha256, 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "sha512, 164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        "sha1, effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    })
    void signsAsTheStandardsSay(String algorithm, String signature) {
        for (String output : List.of("hex", "base64")) {
            Setup setup = new Setup();
            setup.algorithm = algorithm;
            setup.outputEncoding = output;
            String expected = output.equals("hex")
                    ? signature
                    : Base64.getEncoder().encodeToString(HexFormat.of().parseHex(signature));
            try (TransformHarness harness = setup.start()) {
                assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Sign", expected);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"raw, Jefe", "base64, SmVmZQ==", "base64, ' SmVmZQ '", "hex, 4a656665", "hex, '4A656665\n'"})
    void readsTheKeyInItsEncoding(String encoding, String written) throws Exception {
        Setup setup = new Setup();
        setup.keyEncoding = encoding;
        setup.secrets.set("KEY", written);
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("X-Sign", hmac(DATA))
                    .doesNotShow("Jefe");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix_seconds", "unix_millis", "unix_nanos", "rfc3339"})
    void writesTheTimestampInItsFormat(String format) throws Exception {
        Setup setup = new Setup();
        setup.format = format;
        setup.message = "{{.Timestamp}}";
        setup.headers = "[{name: X-Sign, value: '{{.Signature}}'}, {name: X-Time, value: '{{.Timestamp}}'}]";
        try (TransformHarness harness = setup.start()) {
            harness.time().advance(Duration.ofNanos(1_234_567_891));
            Instant now = harness.time().clock().instant();
            String expected = switch (format) {
                case "unix_seconds" -> "" + now.getEpochSecond();
                case "unix_millis" -> "" + now.toEpochMilli();
                case "unix_nanos" -> now.getEpochSecond() + "%09d".formatted(now.getNano());
                default -> now.toString().replaceFirst("\\.\\d+", "");
            };

            ExchangeResult result = harness.send(TestRequest.get(URL));

            assertThat(result).hasForwardedHeader("X-Time", expected).hasForwardedHeader("X-Sign", hmac(expected));
            assertThat(expected).matches(format.equals("rfc3339") ? "\\d{4}-..-..T..:..:..Z" : "\\d{10,19}");
        }
    }

    @Test
    void messageSeesTheRequestAsItIsForwarded() throws Exception {
        Setup setup = new Setup();
        setup.message =
                "{{.Method}}|{{.Path}}|{{.PathWithQuery}}|{{.Query}}|{{.Host}}|{{.Body}}|{{len .Body}}|{{.Credentials.id}}";
        try (TransformHarness harness = setup.start()) {
            String message = "POST|/v1/a b|/v1/a%20b?x=1&y=%2F|x=1&y=%2F|api.example.com|{\"ä\":1}|8|key-1";

            assertThat(harness.send(
                            TestRequest.post(URL.replace(".com", ".com:8443"), "application/json", "{\"ä\":1}")))
                    .hasForwardedBody("{\"ä\":1}")
                    .hasForwardedHeader("X-Sign", hmac(message));
        }
    }

    @Test
    void headersAreSetInOrderAndCasingAndReplaceWhatTheWorkloadSent() {
        Setup setup = new Setup();
        setup.headers = "[{name: aCCess-Key, value: 'k {{.Credentials.id}}'}, {name: Sign, value: '{{.Signature}}'}]";
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("sign", "mine")
                    .header("Accept", "*/*")
                    .header("SIGN", "mine too"));

            assertThat(result.sent().headers().names()).containsExactly("Host", "Sign", "Accept", "aCCess-Key");
            assertThat(result)
                    .hasForwardedHeader("access-key", "k key-1")
                    .hasAnnotation("hmac_sign", "signed", List.of("header:Access-Key", "header:Sign"))
                    .doesNotShow("key-1");
        }
    }

    @Test
    void otherDestinationsAreLeftAlone() {
        try (TransformHarness harness = new Setup().start()) {
            assertThat(harness.send(TestRequest.get("https://other.example.com/")))
                    .hasForwardedHeader("X-Sign")
                    .hasNoAnnotations("hmac_sign");
        }
    }

    @Test
    void bodyIsNotReadUnlessTheMessageUsesIt() throws Exception {
        Setup setup = new Setup();
        try (TransformHarness harness = setup.builder().maxRequestBody(4).start()) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "").chunks("more than", " four bytes")))
                    .hasForwardedBody("more than four bytes")
                    .hasForwardedHeader("X-Sign", hmac(DATA));
        }
    }

    @Test
    void bodyOverTheCapIs413() {
        Setup setup = new Setup();
        setup.message = "{{.Body}}";
        try (TransformHarness harness = setup.builder().maxRequestBody(4).start()) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "12345")))
                    .isRefused(413, "body_too_large");
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "1234")))
                    .isForwarded();
        }
    }

    @Test
    void chunkedBodyIs400UnlessAllowed() throws Exception {
        Setup setup = new Setup();
        setup.message = "{{.Body}}";
        TestRequest chunked = TestRequest.post(URL, "text/plain", "").chunks("in ", "pieces");
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(chunked)).isRefused(400, "chunked_body_not_allowed");
        }
        setup.more = "allow_chunked_body: true";
        try (TransformHarness harness = setup.builder().maxRequestBody(9).start()) {
            assertThat(harness.send(chunked))
                    .hasForwardedBody("in pieces")
                    .hasForwardedHeader("X-Sign", hmac("in pieces"));
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "").chunks("in more ", "pieces")))
                    .isRefused(413, "body_too_large");
        }
    }

    @Test
    void messageWithoutContentSignsAnEmptyBody() throws Exception {
        Setup setup = new Setup();
        setup.message = "[{{.Body}}]";
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Sign", hmac("[]"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "id"})
    void missingCredentialIs502(String missing) {
        Setup setup = new Setup();
        String name = missing.equals("secret") ? "KEY" : "ID";
        setup.credentials = setup.credentials.replace("name: " + name, "name: " + name + ", optional: true");
        setup.secrets.remove(name);
        try (TransformHarness harness = setup.start()) {
            ExchangeResult refused = harness.send(TestRequest.get(URL));
            assertThat(refused).isRefused(502, "credential_unavailable");
            assertThat(refused.body()).contains("\"rule\":\"transforms[0].rules[0]\"");
        }
    }

    @Test
    void rotatedKeyIsTakenOverAndAnUnusableOneIs500() throws Exception {
        Setup setup = new Setup();
        setup.keyEncoding = "hex";
        setup.secrets.set("KEY", "00");
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();

            harness.rotate("KEY", "4a656665");
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Sign", hmac(DATA));

            harness.rotate("KEY", "not hex");
            assertThat(harness.send(TestRequest.get(URL)))
                    .isRefused(500, "key_unusable")
                    .doesNotShow("not hex");
        }
    }

    @Test
    void refusalsBehindTheBodyNameTheRuleToo() {
        Setup setup = new Setup();
        setup.message = "{{.Body}}";
        setup.keyEncoding = "hex";
        setup.secrets.set("KEY", "00");
        try (TransformHarness harness = setup.start()) {
            harness.rotate("KEY", "not hex");
            ExchangeResult refused = harness.send(TestRequest.post(URL, "text/plain", DATA));
            assertThat(refused).isRefused(500, "key_unusable");
            assertThat(refused.body()).contains("\"rule\":\"transforms[0].rules[0]\"");
        }
    }

    @Test
    void credentialThatWouldBreakAHeaderIs500() {
        Setup setup = new Setup();
        setup.headers = "[{name: X-Id, value: '{{.Credentials.id}}'}]";
        setup.secrets.set("ID", "a\r\nb");
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(500, "credential_unusable");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "message     | {{.Missing}}                                   | /signature/message",
                "message     | {{.Credentials.secret}}                        | /signature/message",
                "message     | {{.Signature}}                                 | /signature/message",
                "headers     | [{name: X, value: '{{.Credentials.secret}}'}]  | /headers/0/value",
                "headers     | [{name: X, value: '{{.Body}}'}]                | /headers/0/value",
                "headers     | [{name: 'a b', value: x}]                      | /headers/0/name",
                "headers     | [{name: Content-Length, value: x}]             | /headers/0/name",
                "headers     | [{name: X, value: a}, {name: x, value: b}]     | /headers/1/name",
                "headers     | []                                             | /headers",
                "credentials | {id: {type: fake, name: ID}}                   | /credentials",
                "format      | iso                                            | /timestamp/format",
                "algorithm   | md5                                            | /signature/algorithm",
                "keyEncoding | base32                                         | /signature/key_encoding",
                "output      | raw                                            | /signature/output_encoding",
                "more        | allow_chunked_body: maybe                      | /allow_chunked_body",
                "key         | not hex                                        | /credentials/secret"
            })
    void configurationErrorsSayWhere(String what, String value, String pointer) {
        Setup setup = new Setup();
        switch (what) {
            case "message" -> setup.message = value;
            case "headers" -> setup.headers = value;
            case "credentials" -> setup.credentials = value;
            case "format" -> setup.format = value;
            case "algorithm" -> setup.algorithm = value;
            case "keyEncoding" -> setup.keyEncoding = value;
            case "output" -> setup.outputEncoding = value;
            case "more" -> setup.more = value;
            default -> {
                setup.keyEncoding = "hex";
                setup.secrets.set("KEY", value);
            }
        }
        assertThat(setup.problems())
                .extracting(ConfigProblem::pointer)
                .anySatisfy(at -> assertThat(at).endsWith("/config" + pointer));
    }

    @Test
    void atLeastOneRuleIsNeeded() {
        List<ConfigProblem> problems = TransformHarness.of("""
                        transforms:
                          - name: hmac_sign
                            config:
                              timestamp: {format: unix_seconds}
                              signature: {algorithm: sha1, key_encoding: raw, output_encoding: hex, message: x}
                              credentials: {secret: {type: fake, name: KEY}}
                              headers: [{name: X, value: x}]
                              rules: []
                        """)
                .secrets(new FakeSecrets().set("KEY", "k"))
                .problems();

        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.pointer()).endsWith("/config/rules"));
    }

    @Test
    void withoutTlsASignatureGoesFarOnlyWhereThatIsAllowed() {
        Setup setup = new Setup();
        TestRequest plaintext = TestRequest.get("http://api.example.com/");
        try (TransformHarness harness = setup.builder().far().start()) {
            assertThat(harness.send(plaintext)).isRefused(403, "plaintext_credential");
        }
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(plaintext)).isForwarded();
        }
        setup.more = "allow_plaintext: true";
        try (TransformHarness harness = setup.builder().far().start()) {
            assertThat(harness.send(plaintext)).isForwarded();
        }
    }
}
