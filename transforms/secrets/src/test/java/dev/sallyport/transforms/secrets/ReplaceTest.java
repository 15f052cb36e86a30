package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.replace;
import static dev.sallyport.transforms.secrets.Fixture.secrets;
import static dev.sallyport.transforms.secrets.Fixture.use;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.HeaderLines;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "secrets"; docs/spec/decisions.md, section 6. */
class ReplaceTest {

    private static final String URL = "https://api.example.com/v1";

    @Test
    void emptyMatchHeadersScansAllHeaders() {
        try (TransformHarness harness = secrets(replace(", match_headers: []"))) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("authorization", "Bearer PLACEHOLDER")
                    .header("X-Other", "a PLACEHOLDER b PLACEHOLDER"));

            assertThat(result)
                    .isForwarded()
                    .hasForwardedHeader("Authorization", "Bearer " + REAL)
                    .hasForwardedHeader("X-Other", "a " + REAL + " b " + REAL)
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "header:Authorization", "header:X-Other"))
                    .doesNotShow(REAL);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-API-Key", "x-api-key", "'/api/'", "'/^X-Api-Key$/'", "'/^x-API/'"})
    void matchHeadersAreLiteralNamesOrRegexes(String pattern) {
        try (TransformHarness harness = secrets(replace(", match_headers: [" + pattern + "]"))) {
            ExchangeResult result = harness.send(
                    TestRequest.get(URL).header("x-Api-kEY", "PLACEHOLDER").header("Cookie", "PLACEHOLDER"));

            assertThat(result)
                    .hasForwardedHeader("x-api-key", REAL)
                    .hasForwardedHeader("Cookie", "PLACEHOLDER")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "header:X-Api-Key"));
        }
    }

    /** Cookies and structured fields: the value is written in the encoding in which its placeholder came. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "session=%7B%22key%22%7D; a=b | session=s3cr3t%2F%2B%22value; a=b",
                "token=\"{\\\"key\\\"}\";v=1 | token=\"s3cr3t/+\\\"value\";v=1",
                "{\"key\"}                   | s3cr3t/+\"value",
            })
    void encodedPlaceholdersInHeadersGetTheValueEncodedAlike(String sent, String expected) {
        String entry = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: '{\"key\"}'}}";
        FakeSecrets values = new FakeSecrets().set("TOKEN", "s3cr3t/+\"value");
        try (TransformHarness harness = harness(entry).secrets(values).start()) {
            assertThat(harness.send(TestRequest.get(URL).header("Cookie", sent)))
                    .hasForwardedHeader("Cookie", expected)
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "header:Cookie"));
        }
    }

    @Test
    void trailersAreScannedLikeHeaders() {
        try (TransformHarness harness = secrets(replace(", match_headers: [x-signature]"))) {
            ExchangeResult result = harness.send(TestRequest.of("POST", URL)
                    .chunks("some", " body")
                    .trailer("X-SIGnature", "a PLACEHOLDER")
                    .trailer("X-Other", "PLACEHOLDER"));

            assertThat(result.sent().trailers().lines())
                    .extracting(HeaderLines.Line::name, HeaderLines.Line::value)
                    .containsExactly(tuple("X-SIGnature", "a " + REAL), tuple("X-Other", "PLACEHOLDER"));
            assertThat(result)
                    .hasForwardedBody("some body")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "trailer:X-Signature"))
                    .doesNotShow(REAL);
        }
    }

    @Test
    void trailersAreNotScannedWhereHeadersAreNot() {
        try (TransformHarness harness = secrets(replace(", scan_headers: false, match_body: true"))) {
            ExchangeResult result =
                    harness.send(TestRequest.of("POST", URL).chunks("body").trailer("X-Token", "PLACEHOLDER"));

            assertThat(result.sent().trailers().all("X-Token")).containsExactly("PLACEHOLDER");
            assertThat(result).hasNoAnnotations("secrets");
        }
    }

    @Test
    void headerCasingAndOrderAreKept() {
        try (TransformHarness harness = secrets(replace(""))) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("x-FIRST", "1")
                    .header("x-tOKEN", "one")
                    .header("X-Token", "PLACEHOLDER")
                    .header("x-last", "2"));

            assertThat(result.sent().headers().names())
                    .containsExactly("Host", "x-FIRST", "x-tOKEN", "X-Token", "x-last");
            assertThat(result).hasForwardedHeader("X-Token", "one", REAL);
        }
    }

    @Test
    void scanHeadersFalseScansNone() {
        try (TransformHarness harness = secrets(replace(", scan_headers: false, match_path: true"))) {
            ExchangeResult result = harness.send(
                    TestRequest.get("https://api.example.com/bot/PLACEHOLDER").header("X-Token", "PLACEHOLDER"));

            assertThat(result)
                    .hasForwardedHeader("X-Token", "PLACEHOLDER")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "path"));
        }
    }

    @Test
    void basicCredentialsAreDecodedAndEncodedAgain() {
        try (TransformHarness harness = secrets(replace(", match_headers: [Authorization]"))) {
            String sent = "Basic " + base64("user:PLACEHOLDER");
            ExchangeResult result = harness.send(TestRequest.get(URL).header("Authorization", sent));

            assertThat(result)
                    .hasForwardedHeader("Authorization", "Basic " + base64("user:" + REAL))
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "header:Authorization"));
        }
    }

    @Test
    void queryIsScannedOnlyWhenAsked() {
        try (TransformHarness harness = secrets(replace(""))) {
            assertThat(harness.send(TestRequest.get(URL + "?token=PLACEHOLDER")))
                    .hasForwardedTarget("/v1?token=PLACEHOLDER")
                    .hasNoAnnotations("secrets");
        }
    }

    @Test
    void queryValuesAreReplacedAndEverythingElseStays() {
        try (TransformHarness harness = secrets(replace(", match_query: true"))) {
            ExchangeResult result =
                    harness.send(TestRequest.get(URL + "?z=%7e+1&PLACEHOLDER=x&token=a%2FPLACEHOLDER&b&a=%41"));

            assertThat(result)
                    .hasForwardedTarget("/v1?z=%7e+1&PLACEHOLDER=x&token=a%2Fs3cr3t%2F%2Bvalue&b&a=%41")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "query:token"));
            assertThat(map(result.audit().get("audit")))
                    .containsEntry("path", "/v1?z=%7e+1&PLACEHOLDER=x&token=a%2FPLACEHOLDER&b&a=%41");
        }
    }

    @Test
    void pathIsReplacedWithinItsSegment() {
        try (TransformHarness harness = secrets(replace(", match_path: true"))) {
            assertThat(harness.send(
                            TestRequest.get("https://api.example.com/a%20b/bot%3APLACEHOLDER/x%2Fy?q=PLACEHOLDER")))
                    .hasForwardedTarget("/a%20b/bot%3As3cr3t%2F+value/x%2Fy?q=PLACEHOLDER")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "path"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 1000})
    void bodyIsReplacedHoweverItIsCut(int pieces) {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            ExchangeResult result = harness.send(TestRequest.post(URL, "text/plain", "a PLACEHOLDER and PLACEHOLDEX")
                    .inPieces(pieces));

            assertThat(result)
                    .isForwarded()
                    .hasForwardedBody("a " + REAL + " and PLACEHOLDEX")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "body"))
                    .doesNotShow(REAL);
        }
    }

    @Test
    void bodyIsLeftAloneUnlessAsked() {
        try (TransformHarness harness = secrets(replace(""))) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "PLACEHOLDER")))
                    .hasForwardedBody("PLACEHOLDER")
                    .hasNoAnnotations("secrets");
        }
    }

    @Test
    void bodyWithoutPlaceholderHasNoAnnotation() {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "nothing here")))
                    .hasForwardedBody("nothing here")
                    .hasNoAnnotations("secrets");
        }
    }

    @Test
    void jsonBodiesAreEscaped() {
        FakeSecrets values = new FakeSecrets().set("TOKEN", "a\"b\\c");
        try (TransformHarness harness =
                harness(replace(", match_body: true")).secrets(values).start()) {
            assertThat(harness.send(
                            TestRequest.post(URL, "application/json; charset=utf-8", "{\"k\":\"PLACEHOLDER\"}")))
                    .hasForwardedBody("{\"k\":\"a\\\"b\\\\c\"}");
        }
    }

    @Test
    void xmlBodiesAreEscaped() {
        FakeSecrets values = new FakeSecrets().set("TOKEN", "r&al<\"secret>]");
        try (TransformHarness harness =
                harness(replace(", match_body: true")).secrets(values).start()) {
            assertThat(harness.send(TestRequest.post(URL, "application/soap+xml", "<p>PLACEHOLDER</p>")))
                    .hasForwardedBody("<p>r&amp;al&lt;&quot;secret&gt;]</p>");
            assertThat(harness.send(TestRequest.post(URL, "text/xml", "<p><![CDATA[PLACEHOLDER]]></p>")))
                    .isRefused(502, "secret_unusable")
                    .doesNotShow("r&al");
        }
    }

    @Test
    void formBodiesArePercentEncoded() {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            assertThat(harness.send(TestRequest.post(URL, "application/x-www-form-urlencoded", "a=1&t=PLACEHOLDER")))
                    .hasForwardedBody("a=1&t=s3cr3t%2F%2Bvalue");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br", "identity"})
    void contentCodingsAreRemovedAndAppliedAgain(String coding) {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            byte[] body = encode(coding, "x PLACEHOLDER y");
            ExchangeResult result = harness.send(TestRequest.of("POST", URL)
                    .header("Content-Encoding", coding)
                    .body(body)
                    .inPieces(5));

            assertThat(decode(coding, result.sent().content())).isEqualTo("x " + REAL + " y");
            assertThat(result)
                    .hasForwardedHeader("Content-Encoding", coding)
                    .hasForwardedHeader(
                            "Content-Length", Integer.toString(result.sent().content().length))
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "body"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void codedBodyWithoutAPlaceholderGoesOnInItsOriginalBytes(String coding) {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            byte[] body = encode(coding, "x PLACEHOLDEX y");
            ExchangeResult result = harness.send(TestRequest.of("POST", URL)
                    .header("Content-Encoding", coding)
                    .header("Digest", "sha-256=abc")
                    .body(body));

            assertThat(result.sent().content()).isEqualTo(body);
            assertThat(result).hasForwardedHeader("Digest", "sha-256=abc").hasNoAnnotations("secrets");
        }
    }

    @Test
    void codedBodyThatNoEntryScansIsNotDecoded() {
        try (TransformHarness harness = secrets(replace(""))) {
            byte[] body = "not gzip at all".getBytes(StandardCharsets.UTF_8);
            ExchangeResult result = harness.send(TestRequest.of("POST", URL)
                    .header("Content-Encoding", "gzip")
                    .body(body));

            assertThat(result.sent().content()).isEqualTo(body);
        }
    }

    @Test
    void unknownCodingCannotBeSearchedAndIsRefused() {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            assertThat(harness.send(TestRequest.of("POST", URL)
                            .header("Content-Encoding", "compress")
                            .body(new byte[] {1, 2, 3})))
                    .isRefused(415, "unsupported_content_coding");
        }
    }

    @Test
    void bodyFarOverTheBufferCapStreams() {
        try (TransformHarness harness =
                harness(replace(", match_body: true")).maxRequestBody(64).start()) {
            String filler = "x".repeat(100_000);
            ExchangeResult result = harness.send(TestRequest.of("POST", URL).chunks(filler, "PLACEHOLDER", filler));

            assertThat(result).hasForwardedBody(filler + REAL + filler);
        }
    }

    @Test
    void rulesLimitTheDestinations() {
        String entry = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: PLACEHOLDER},"
                + " rules: [{host: api.example.com, paths: [/v1/*]}]}";
        try (TransformHarness harness = secrets(entry)) {
            for (String elsewhere : List.of("https://evil.test/v1", "https://api.example.com/v2")) {
                assertThat(harness.send(TestRequest.get(elsewhere).header("X-Token", "PLACEHOLDER")))
                        .isForwarded()
                        .hasForwardedHeader("X-Token", "PLACEHOLDER")
                        .hasAnnotation("secrets", "swapped", null);
            }
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", REAL);
        }
    }

    @Test
    void emptyRulesMeanAllDestinations() {
        try (TransformHarness harness = secrets(replace(""))) {
            assertThat(harness.send(TestRequest.get("http://203.0.113.1/").header("X-Token", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", REAL);
        }
    }

    @Test
    void longestPlaceholderAtTheLeftmostPlaceWins() {
        String longer = "{source: {type: fake, name: OTHER}, replace: {proxy_value: PLACEHOLDER_2}}";
        try (TransformHarness harness = secrets(replace(""), longer)) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER_2 PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", "other-value " + REAL);
        }
    }

    @Test
    void entriesThatShareAPlaceholderAreChosenByDestination() {
        String other = "{source: {type: fake, name: OTHER}, replace: {proxy_value: PLACEHOLDER, match_body: true}}";
        String mine = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: PLACEHOLDER},"
                + " rules: [{host: api.example.com}]}";
        try (TransformHarness harness = secrets(mine, other)) {
            ExchangeResult both = harness.send(
                    TestRequest.post(URL, "text/plain", "PLACEHOLDER").header("X-Token", "PLACEHOLDER"));
            ExchangeResult second =
                    harness.send(TestRequest.get("https://b.test/").header("X-Token", "PLACEHOLDER"));

            assertThat(both).hasForwardedHeader("X-Token", REAL).hasForwardedBody("other-value");
            assertThat(both.annotations("secrets").get("swapped"))
                    .isEqualTo(List.of(
                            Map.of("secret", "TOKEN", "locations", List.of("header:X-Token")),
                            Map.of("secret", "OTHER", "locations", List.of("body"))));
            assertThat(second).hasForwardedHeader("X-Token", "other-value");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil\r\nX-Injected: 1", "evil\u0001", "\u007fevil"})
    void valueThatWouldBreakAHeaderIsRefused(String value) {
        FakeSecrets values = new FakeSecrets().set("TOKEN", value);
        try (TransformHarness harness = harness(replace("")).secrets(values).start()) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER")))
                    .isRefused(502, "secret_unusable")
                    .doesNotShow("evil");
        }
    }

    @Test
    void rotatedValuesAreTakenOver() {
        try (TransformHarness harness = secrets(replace(", match_body: true"))) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", REAL);

            harness.rotate("TOKEN", "rotated-once");
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", "rotated-once");

            harness.rotate("TOKEN", "rotated-twice");
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "PLACEHOLDER")))
                    .hasForwardedBody("rotated-twice");
        }
    }

    @Test
    void engineHeadersAreNotScanned() {
        String everywhere = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: example}}";
        try (TransformHarness harness = secrets(everywhere)) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded().hasForwardedHeader("Host", "api.example.com");
        }
    }

    @Test
    void hostOnlyRequestsPassUntouched() {
        try (TransformHarness harness = secrets(replace(", match_body: true, match_path: true"))) {
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")).forwarded())
                    .isNotNull();
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] encode(String coding, String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            encoder.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), bytes -> keep(bytes, out));
            encoder.end(bytes -> keep(bytes, out));
        }
        return out.toByteArray();
    }

    private static String decode(String coding, byte[] coded) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            decoder.write(ByteBuffer.wrap(coded), bytes -> keep(bytes, out));
            decoder.end(bytes -> keep(bytes, out));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void keep(ByteBuffer bytes, ByteArrayOutputStream out) {
        while (bytes.hasRemaining()) {
            out.write(bytes.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"header", "authorization", "query", "path"})
    void placeholdersThatStandForMoreThanAHeadMayHaveAreRefused(String part) {
        String many = "PLACEHOLDER".repeat(5_000);
        FakeSecrets large = new FakeSecrets().set("TOKEN", "v".repeat(16 * 1024));
        try (TransformHarness harness = harness(replace(", match_headers: [], match_query: true, match_path: true"))
                .secrets(large)
                .start()) {
            TestRequest request = switch (part) {
                case "header" -> TestRequest.get(URL).header("X-Many", many);
                case "authorization" ->
                    TestRequest.get(URL)
                            .header(
                                    "Authorization",
                                    "Basic "
                                            + Base64.getEncoder()
                                                    .encodeToString(many.getBytes(StandardCharsets.US_ASCII)));
                case "query" -> TestRequest.get(URL + "?q=" + many);
                default -> TestRequest.get(URL + "/" + many);
            };

            assertThat(harness.send(request)).isRefused(403, "edited_head_too_large");
            assertThat(harness.send(TestRequest.get(URL).header("X-Few", "PLACEHOLDER")))
                    .isForwarded();
        }
    }
}
