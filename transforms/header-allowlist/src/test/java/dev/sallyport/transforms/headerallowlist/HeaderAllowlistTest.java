package dev.sallyport.transforms.headerallowlist;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "header_allowlist"; docs/spec/decisions.md, sections 4 and 7. */
class HeaderAllowlistTest {

    private static final String NAME = "header_allowlist";
    private static final String URL = "https://api.example.com/v1";

    private static TransformHarness.Builder builder(String config) {
        return TransformHarness.of("transforms: [{name: header_allowlist, config: " + config + "}]");
    }

    private static TransformHarness harness(String headers) {
        return builder("{headers: " + headers + "}").start();
    }

    @Test
    void whatIsNotListedIsStrippedAndNamedInCanonicalFormEachOnce() {
        try (TransformHarness harness = harness("[Accept, x-REQUEST-id]")) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("x-zeta", "1")
                    .header("aCCept", "text/html")
                    .header("COOKIE", "a=b")
                    .header("X-Zeta", "2")
                    .header("X-Request-ID", "7")
                    .header("accept", "*/*"));

            assertThat(result.sent().headers().names()).containsExactly("Host", "aCCept", "X-Request-ID", "accept");
            assertThat(result)
                    .hasForwardedHeader("Accept", "text/html", "*/*")
                    .hasAnnotation(NAME, "stripped_headers", List.of("X-Zeta", "Cookie"))
                    .doesNotShow("a=b");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/^x-acme-/, X-Acme-Id, true",
        "/^X-ACME-/, x-acme-id, true",
        "/acme/, X-Acme-Id, true",
        "/^Acme/, X-Acme-Id, false",
        "/^X-Acme-Id$/, x-acme-id, true",
        "/^X-Acme-Id$/, x-acme-ids, false",
        "X-Acme, X-Acme-Id, false",
        "X-Acme-Id, X-Acme, false",
        "/x.acme/, X-Acme-Id, true"
    })
    void namesMatchWholeAndExpressionsAnywhere(String entry, String header, boolean passes) {
        try (TransformHarness harness = harness("['" + entry + "']")) {
            ExchangeResult result = harness.send(TestRequest.get(URL).header(header, "v"));

            assertThat(result.sent().headers().names().contains(header)).isEqualTo(passes);
        }
    }

    @Test
    void nothingStrippedIsNothingNoted() {
        try (TransformHarness harness = harness("[/./]")) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "body").header("X-Any", "1")))
                    .hasForwardedBody("body")
                    .hasForwardedHeader("X-Any", "1")
                    .hasNoAnnotations(NAME);
        }
    }

    @Test
    void emptyListStripsEverythingThatMayBe() {
        for (String config : List.of("{headers: []}", "{}")) {
            try (TransformHarness harness = builder(config).start()) {
                ExchangeResult result = harness.send(TestRequest.post(URL, "text/plain", "body")
                        .header("Authorization", "Bearer mine")
                        .header("Content-Encoding", "none")
                        .header("TE", "trailers"));

                assertThat(result.sent().headers().names()).containsExactly("Host", "TE", "Content-Length");
                assertThat(result)
                        .hasForwardedBody("body")
                        .hasAnnotation(
                                NAME, "stripped_headers", List.of("Content-Type", "Authorization", "Content-Encoding"));
            }
        }
    }

    @Test
    void handshakeOfAWebSocketStaysAndOtherFieldsOfItsNameDoNot() {
        try (TransformHarness harness = harness("[]")) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("Sec-WebSocket-Key", "k")
                    .header("sec-websocket-version", "13")
                    .header("Sec-WebSocket-Protocol", "chat")
                    .header("Sec-WebSocket-Extensions", "permessage-deflate")
                    .header("Sec-WebSocket-Accept", "a")
                    .header("Sec-WebSocket-Other", "o"));

            assertThat(result.sent().headers().names())
                    .containsExactly(
                            "Host",
                            "Sec-WebSocket-Key",
                            "sec-websocket-version",
                            "Sec-WebSocket-Protocol",
                            "Sec-WebSocket-Extensions");
            assertThat(result)
                    .hasAnnotation(NAME, "stripped_headers", List.of("Sec-Websocket-Accept", "Sec-Websocket-Other"));
        }
    }

    @Test
    void expectationOfContinueStaysAndWhatElseSaysExpectDoesNot() {
        try (TransformHarness harness = harness("[]")) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "body").header("Expect", "100-Continue")))
                    .hasForwardedHeader("Expect", "100-Continue")
                    .hasForwardedBody("body");
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "body").header("Expect", "smuggled")))
                    .hasForwardedHeader("Expect")
                    .hasForwardedBody("body");
        }
    }

    @Test
    void trailersAreStrippedLikeHeaders() {
        try (TransformHarness harness = harness("[Content-Type, X-Checksum, /^grpc-/]")) {
            ExchangeResult result = harness.send(TestRequest.post(URL, "text/plain", "")
                    .chunks("some ", "body")
                    .header("x-unknown", "1")
                    .trailer("x-last", "secret")
                    .trailer("x-checksum", "42")
                    .trailer("X-Unknown", "2")
                    .trailer("Grpc-Status", "0")
                    .trailer("Expect", "100-continue"));

            assertThat(result.sent().trailers().names()).containsExactly("x-checksum", "Grpc-Status");
            assertThat(result)
                    .hasForwardedBody("some body")
                    .hasForwardedHeader("X-Unknown")
                    .hasAnnotation(NAME, "stripped_headers", List.of("X-Unknown", "X-Last", "Expect"));
        }
    }

    @Test
    void trailersOfWhichNothingIsListedGoAltogether() {
        try (TransformHarness harness = harness("[Content-Type]")) {
            ExchangeResult result = harness.send(
                    TestRequest.post(URL, "text/plain", "").chunks("body").trailer("x-last", "1"));

            assertThat(result.sent().trailers().names()).isEmpty();
            assertThat(result).hasForwardedBody("body").hasAnnotation(NAME, "stripped_headers", List.of("X-Last"));
        }
    }

    @Test
    void rulesSayWhichRequests() {
        try (TransformHarness harness =
                builder("{rules: [{host: api.example.com, methods: [GET]}]}").start()) {
            assertThat(harness.send(TestRequest.get(URL).header("X-A", "1"))).hasForwardedHeader("X-A");
            assertThat(harness.send(
                            TestRequest.of("PUT", URL).header("X-A", "1").trailer("X-T", "1")))
                    .hasForwardedHeader("X-A", "1")
                    .hasNoAnnotations(NAME);
            assertThat(harness.send(
                            TestRequest.get("https://other.example.com/").header("X-A", "1")))
                    .hasForwardedHeader("X-A", "1")
                    .hasNoAnnotations(NAME);
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")))
                    .isForwarded()
                    .hasNoAnnotations(NAME);
        }
    }

    @Test
    void warningOfAnAllowlistChangesNothing() {
        InlineTransform warner = context -> Decision.proceedWithoutCredentials();
        try (TransformHarness harness =
                builder("{}").then("warner", Capabilities.none(), warner).start()) {
            assertThat(harness.send(TestRequest.get(URL).header("X-A", "1")))
                    .isForwarded()
                    .hasForwardedHeader("X-A")
                    .hasAnnotation(NAME, "stripped_headers", List.of("X-A"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X Y", "", "/", "//", "/x", "/(/", "':authority'"})
    void whatIsNoPatternIsAFault(String entry) {
        List<ConfigProblem> problems = builder(
                        "{headers: [Accept, " + (entry.startsWith("'") ? entry : "'" + entry + "'") + "]}")
                .problems();

        assertThat(problems).hasSize(1);
        assertThat(problems.getFirst().pointer()).isEqualTo("/transforms/0/config/headers/1");
        assertThat(problems.getFirst().expected()).isNotEmpty();
    }

    // With transforms that put credentials in.

    @Test
    void injectedHeaderPassesWhereItIsListed() {
        try (TransformHarness harness = afterInjector("[X-Key, Content-Type]")) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Key", CredentialInjector.CREDENTIAL)
                    .hasForwardedBody(CredentialInjector.CREDENTIAL)
                    .doesNotShow(CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void injectedHeaderThatIsNotListedIsStripped() {
        try (TransformHarness harness = afterInjector("[]")) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("X-Key")
                    .hasAnnotation(NAME, "stripped_headers", List.of("X-Key"));
        }
    }

    /** The coding of a body is what the sender says, even where the header that says it does not go on. */
    @Test
    void bodyIsDecodedForEarlierTransformsWhereItsCodingIsStripped() throws IOException {
        try (TransformHarness harness = afterInjector("[]")) {
            ExchangeResult result = harness.send(TestRequest.of("POST", URL)
                    .header("Content-Encoding", "gzip")
                    .body(gzip("a PLACEHOLDER")));

            assertThat(result).hasForwardedHeader("Content-Encoding");
            try (GZIPInputStream in =
                    new GZIPInputStream(new ByteArrayInputStream(result.sent().content()))) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("a " + CredentialInjector.CREDENTIAL);
            }
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(coded)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return coded.toByteArray();
    }

    private static TransformHarness afterInjector(String headers) {
        return TransformHarness.of("""
                        transforms:
                          - {name: injector, config: {body: swap}}
                          - {name: header_allowlist, config: {headers: %s}}
                        """.formatted(headers))
                .factory(new CredentialInjector())
                .start();
    }

    @Test
    void checkNamesTheTwoEntriesToExchange() {
        String list = "{name: header_allowlist, config: {}}";
        assertThat(warnings(list, "{name: injector, config: {body: swap}}"))
                .containsExactly("transforms[1] (injector) adds what transforms[0] (header_allowlist) no longer strips;"
                        + " headers added here are not checked; exchange the two entries");
        assertThat(warnings("{name: injector, config: {body: swap}}", list)).isEmpty();
    }

    @Test
    void placeBehindASignerIsTheRightOne() {
        assertThat(warnings(
                        "{name: injector, config: {body: swap, signs: true}}", "{name: header_allowlist, config: {}}"))
                .isEmpty();
    }

    private static List<String> warnings(String first, String second) {
        ConfigResult result = ConfigLoader.load(
                "test.yaml",
                """
                dns: {enabled: false}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms: [%s, %s]
                """.formatted(first, second),
                Path.of(""),
                Map.of(),
                PluginCatalog.of(List.of(new CredentialInjector(), new HeaderAllowlistFactory()), List.of()));
        return TransformOrderLint.check(((ConfigResult.Loaded) result).config().transforms()).stream()
                .map(TransformOrderLint.Warning::text)
                .toList();
    }
}
