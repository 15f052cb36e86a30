package dev.sallyport.transforms.bodycapture;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.pipeline.TransformOrderLint;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testkit.CredentialInjector;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "body_capture"; docs/spec/decisions.md, sections 4 and 14. */
class BodyCaptureTest {

    private static final String NAME = "body_capture";
    private static final String URL = "https://api.example.com/v1";

    private static TransformHarness.Builder builder(String config) {
        return TransformHarness.of("transforms: [{name: body_capture, config: " + config + "}]");
    }

    private static TestRequest post(String body) {
        return TestRequest.post(URL, "text/plain", body);
    }

    private static TestRequest coded(String coding, byte[] body) {
        return TestRequest.of("POST", URL).header("Content-Encoding", coding).body(body);
    }

    private static Object captured(ExchangeResult result) {
        return result.audit().get("body_capture");
    }

    private static byte[] encode(String coding, byte[] plain) {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            encoder.write(ByteBuffer.wrap(plain), bytes -> append(bytes, coded));
            encoder.end(bytes -> append(bytes, coded));
        }
        return coded.toByteArray();
    }

    private static void append(ByteBuffer bytes, ByteArrayOutputStream to) {
        while (bytes.hasRemaining()) {
            to.write(bytes.get());
        }
    }

    @Test
    void bodyIsInTheRecordAndFlowsOn() {
        try (TransformHarness harness = builder("{}").start()) {
            ExchangeResult whole = harness.send(post("{\"ä\": \"€ 😀\"}"));
            assertThat(captured(whole)).isEqualTo(Map.of("request_body", "{\"ä\": \"€ 😀\"}"));
            assertThat(whole).hasForwardedBody("{\"ä\": \"€ 😀\"}").hasNoAnnotations(NAME);

            ExchangeResult pieces = harness.send(post("").chunks("some", " ", "body"));
            assertThat(captured(pieces)).isEqualTo(Map.of("request_body", "some body"));
            assertThat(pieces).hasForwardedBody("some body");
        }
    }

    @Test
    void requestWithoutABodyHasNoGroup() {
        try (TransformHarness harness = builder("{}").start()) {
            for (TestRequest request : List.of(
                    TestRequest.get(URL), post(""), post("").chunks(), TestRequest.hostOnly("api.example.com"))) {
                ExchangeResult result = harness.send(request);
                assertThat(captured(result)).isNull();
                assertThat(result).isForwarded().hasNoAnnotations(NAME);
            }
        }
    }

    @Test
    void rulesSayWhichRequests() {
        try (TransformHarness harness =
                builder("{rules: [{host: api.example.com, methods: [POST]}]}").start()) {
            assertThat(captured(harness.send(post("a")))).isNotNull();
            assertThat(captured(harness.send(TestRequest.of("PUT", URL).body("a"))))
                    .isNull();
            assertThat(captured(harness.send(TestRequest.post("https://other.example.com/", "text/plain", "a"))))
                    .isNull();
        }
    }

    // The cap.

    @Test
    void defaultCapIs16KiB() {
        try (TransformHarness harness = builder("{}").start()) {
            assertThat(captured(harness.send(post("x".repeat(16384)))))
                    .isEqualTo(Map.of("request_body", "x".repeat(16384)));
            ExchangeResult over = harness.send(post("x".repeat(16385)));
            assertThat(captured(over))
                    .isEqualTo(Map.of("request_body", "x".repeat(16384), "request_body_truncated", true));
            assertThat(over).hasForwardedBody("x".repeat(16385)).hasNoAnnotations(NAME);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, ''", "2, ä", "3, ä", "4, ä", "5, ä€", "6, ä€", "7, ä€", "8, ä€", "9, ä€😀", "10, ä€😀x"})
    void recordIsCutBetweenCharacters(int cap, String recorded) {
        try (TransformHarness harness =
                builder("{max_request_body_bytes: " + cap + "}").start()) {
            ExchangeResult result = harness.send(post("ä€😀xy"));

            assertThat(captured(result)).isEqualTo(Map.of("request_body", recorded, "request_body_truncated", true));
            assertThat(result).hasForwardedBody("ä€😀xy").hasNoAnnotations(NAME);
        }
    }

    @Test
    void capIsIndependentOfTheProxysOwn() {
        try (TransformHarness harness = builder("{}").maxRequestBody(4).start()) {
            ExchangeResult result = harness.send(post("more than four bytes"));
            assertThat(captured(result)).isEqualTo(Map.of("request_body", "more than four bytes"));
            assertThat(result).hasForwardedBody("more than four bytes");
        }
    }

    @Test
    void piecesOfAnySizeMakeTheSameRecord() {
        String body = "ä€😀 and some more ".repeat(200);
        try (TransformHarness harness =
                builder("{max_request_body_bytes: 3001}").start()) {
            Object expected = captured(harness.send(post(body)));
            for (int size : new int[] {1, 2, 3, 5, 1000, 3000, 3001}) {
                assertThat(captured(harness.send(post(body).inPieces(size))))
                        .as("pieces of %d bytes", size)
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1"})
    void capThatRecordsNothingIsAFault(String cap) {
        assertThat(builder("{max_request_body_bytes: " + cap + "}").problems())
                .extracting(ConfigProblem::pointer, ConfigProblem::message, ConfigProblem::expected)
                .containsExactly(tuple(
                        "/transforms/0/config/max_request_body_bytes", "nothing would be recorded", "at least 1"));
    }

    // Content codings.

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "gzip, br", "identity"})
    void recordHasNoContentCoding(String coding) {
        byte[] body = encode(coding, "what was sent, ä€😀".getBytes(StandardCharsets.UTF_8));
        try (TransformHarness harness = builder("{}").start()) {
            ExchangeResult result = harness.send(coded(coding, body));

            assertThat(captured(result)).isEqualTo(Map.of("request_body", "what was sent, ä€😀"));
            assertThat(result.sent().content()).isEqualTo(body);
            assertThat(result).hasForwardedHeader("Content-Encoding", coding).hasNoAnnotations(NAME);
        }
    }

    @Test
    void capCountsDecodedBytesAndTheRestIsNotDecoded() {
        byte[] body = encode("gzip", new byte[40 << 20]);
        body[body.length - 1] ^= 1; // a wrong length at the end, which nobody comes to
        try (TransformHarness harness = builder("{max_request_body_bytes: 5}").start()) {
            ExchangeResult result = harness.send(coded("gzip", body).inPieces(1000));

            assertThat(captured(result))
                    .isEqualTo(Map.of("request_body", "\0\0\0\0\0", "request_body_truncated", true));
            assertThat(result.sent().content()).isEqualTo(body);
            assertThat(result).hasNoAnnotations(NAME);
        }
    }

    @Test
    void unknownCodingIsNotedAndTheBodyFlowsOn() {
        byte[] body = {1, 2, 3};
        try (TransformHarness harness = builder("{}").start()) {
            ExchangeResult result = harness.send(coded("compress", body));

            assertThat(captured(result)).isNull();
            assertThat(result.sent().content()).isEqualTo(body);
            assertThat(result)
                    .hasAnnotation(
                            NAME,
                            "body_capture_error",
                            "content coding: not known (expected: gzip, deflate, br or zstd)");
        }
    }

    @Test
    void faultyCodingIsNotedAndTheBodyFlowsOn() {
        byte[] body = encode("gzip", "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII));
        byte[] broken = Arrays.copyOf(body, body.length / 2);
        try (TransformHarness harness =
                builder("{max_request_body_bytes: 200000}").start()) {
            ExchangeResult result = harness.send(coded("gzip", broken));

            assertThat(result.sent().content()).isEqualTo(broken);
            assertThat(captured(result))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("request_body_truncated", true);
            assertThat(result)
                    .hasAnnotation(NAME, "body_capture_error", "gzip: the body ended before the coded data did");
        }
    }

    @Test
    void codingIsThatOfTheSenderEvenWhereItsHeaderIsStripped() {
        TransformHarness.Builder harness = TransformHarness.of("""
                transforms:
                  - {name: stripper, config: {}}
                  - {name: body_capture, config: {}}
                """).factory(new Stripper());
        try (TransformHarness started = harness.start()) {
            ExchangeResult result =
                    started.send(coded("br", encode("br", "plain".getBytes(StandardCharsets.US_ASCII))));

            assertThat(captured(result)).isEqualTo(Map.of("request_body", "plain"));
            assertThat(result).hasForwardedHeader("Content-Encoding");
        }
    }

    @Test
    void bytesThatAreNotUtf8AreReplacedAndThatIsSaid() {
        byte[] body = {'a', (byte) 0xff, 'b', (byte) 0xc3};
        try (TransformHarness harness = builder("{}").start()) {
            ExchangeResult result = harness.send(TestRequest.of("POST", URL).body(body));
            assertThat(captured(result)).isEqualTo(Map.of("request_body", "a\uFFFDb\uFFFD"));
            assertThat(result.sent().content()).isEqualTo(body);
            assertThat(result).hasAnnotation(NAME, "not_utf8", true);

            assertThat(harness.send(post("a \uFFFD of the sender's own"))).hasNoAnnotations(NAME);
        }
    }

    // Others in the list.

    @Test
    void lastOfSeveralStands() {
        try (TransformHarness harness = TransformHarness.of("""
                transforms:
                  - {name: body_capture, config: {max_request_body_bytes: 3}}
                  - {name: body_capture, config: {max_request_body_bytes: 5, rules: [{host: api.example.com}]}}
                """).start()) {
            assertThat(captured(harness.send(post("0123456"))))
                    .isEqualTo(Map.of("request_body", "01234", "request_body_truncated", true));
            assertThat(captured(harness.send(TestRequest.post("https://other.test/", "text/plain", "0123456"))))
                    .isEqualTo(Map.of("request_body", "012", "request_body_truncated", true));
        }
    }

    @Test
    void refusalOfALaterTransformLeavesNothingToRecord() {
        InlineTransform refuses = context -> Decision.reject(403, "no", "No.");
        try (TransformHarness harness =
                builder("{}").then("refuses", Capabilities.none(), refuses).start()) {
            ExchangeResult result = harness.send(post("body"));
            assertThat(result).isRefused(403, "no").hasNoAnnotations(NAME);
            assertThat(captured(result)).isNull();
        }
    }

    @Test
    void recordShowsWhatWasBeforeCredentialsWerePutIn() {
        try (TransformHarness harness = list("body_capture, config: {}").start()) {
            ExchangeResult result = harness.send(post("a PLACEHOLDER"));

            assertThat(captured(result)).isEqualTo(Map.of("request_body", "a PLACEHOLDER"));
            assertThat(result)
                    .hasForwardedBody("a " + CredentialInjector.CREDENTIAL)
                    .doesNotShow(CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void bodyThatAlreadyCarriesCredentialsIsNotRecorded() {
        try (TransformHarness harness =
                list("reader, config: {}", "body_capture, config: {}").start()) {
            ExchangeResult result = harness.send(post("a PLACEHOLDER"));

            assertThat(captured(result)).isNull();
            assertThat(result)
                    .hasForwardedBody("a " + CredentialInjector.CREDENTIAL)
                    .hasAnnotation(NAME, "body_capture_error", "the body carries credentials by now")
                    .doesNotShow(CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void credentialsAreRecordedOnlyWhereTheOperatorSaysSo() {
        for (TransformHarness.Builder builder : List.of(
                list("body_capture, config: {allow_disclosure: true}"),
                list("reader, config: {}", "body_capture, config: {allow_disclosure: true}"))) {
            try (TransformHarness harness = builder.start()) {
                assertThat(captured(harness.send(post("a PLACEHOLDER"))))
                        .isEqualTo(Map.of("request_body", "a " + CredentialInjector.CREDENTIAL));
            }
        }
    }

    /** The injector, and then these. */
    private static TransformHarness.Builder list(String... entries) {
        StringBuilder yaml = new StringBuilder("transforms:\n  - {name: injector, config: {body: swap}}\n");
        for (String entry : entries) {
            yaml.append("  - {name: ").append(entry).append("}\n");
        }
        return TransformHarness.of(yaml.toString())
                .factory(new CredentialInjector())
                .factory(new Reader());
    }

    // The check of the order.

    @Test
    void checkNamesTheTwoEntriesToExchange() {
        assertThat(warnings("injector, config: {body: swap}", "body_capture, config: {}"))
                .containsExactly(
                        "transforms[1] (body_capture) sees the request body after transforms[0] (injector) has put"
                                + " credentials in; they are masked; exchange the two entries");
        assertThat(warnings("injector, config: {body: swap}", "body_capture, config: {allow_disclosure: true}"))
                .containsExactly("transforms[1] (body_capture) discloses the credentials that transforms[0] (injector)"
                        + " has put into the request body; exchange the two entries");
    }

    @Test
    void checkIsSilentWhereNoCredentialCanBeInABody() {
        assertThat(warnings("body_capture, config: {}", "injector, config: {body: swap}"))
                .isEmpty();
        assertThat(warnings("injector, config: {}", "body_capture, config: {}")).isEmpty();
    }

    private static List<String> warnings(String first, String second) {
        ConfigResult result = ConfigLoader.load(
                "test.yaml",
                """
                dns: {enabled: false}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms: [{name: %s}, {name: %s}]
                """.formatted(first, second),
                Path.of(""),
                Map.of(),
                PluginCatalog.of(List.of(new CredentialInjector(), new BodyCaptureFactory()), List.of()));
        return TransformOrderLint.check(((ConfigResult.Loaded) result).config().transforms()).stream()
                .map(TransformOrderLint.Warning::text)
                .toList();
    }
}
