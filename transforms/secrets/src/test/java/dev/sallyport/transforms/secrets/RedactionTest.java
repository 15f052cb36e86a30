package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.use;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.Upstream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** When values are turned back, and what the audit record says of it. */
class RedactionTest {

    private static final String REAL = "r34l/credential+of \"the operator\"";
    private static final String REPLACE = "replace: {proxy_value: PLACEHOLDER, match_body: true}";
    private static final String INJECT = "inject: {header: X-Key}";

    private static final Upstream LEAKS = request -> TestResponse.status(200)
            .reason("OK " + REAL)
            .header("X-Echo", "a " + REAL)
            .header("x-echo", "none")
            .header("x-echo", REAL + " b")
            .body("body: " + REAL)
            .trailer("X-Last", REAL);

    private static final TestRequest WITH =
            TestRequest.get("https://a.test/").header("Authorization", "Bearer PLACEHOLDER");
    private static final TestRequest WITHOUT = TestRequest.get("https://a.test/");

    @Test
    void everyPlaceIsTurnedBackAndNoted() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result)
                    .hasForwardedHeader("Authorization", "Bearer " + REAL)
                    .doesNotShow("r34l");
            assertThat(result.headers().all("x-echo")).containsExactly("a PLACEHOLDER", "none", "PLACEHOLDER b");
            assertThat(result.headers().names()).containsSequence("X-Echo", "x-echo", "x-echo");
            assertThat(result.body()).isEqualTo("body: PLACEHOLDER");
            assertThat(result.trailers().first("X-Last")).isEqualTo("PLACEHOLDER");
            assertThat(result.responseAnnotations("secrets").get("redacted"))
                    .isEqualTo(use("TOKEN", "header:X-Echo", "reason", "body", "trailer:X-Last"));
        }
    }

    @Test
    void whatWasInjectedBecomesTheMarker() {
        try (TransformHarness harness = harness(LEAKS, entry(INJECT))) {
            assertThat(harness.send(WITHOUT).body()).isEqualTo("body: SALLYPORT_REDACTED");
        }
    }

    @Test
    void responsesToOtherRequestsAreLeftAlone() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE), entry(INJECT + ", rules: [{host: b.test}]"))) {
            ExchangeResult result = harness.send(WITHOUT);

            assertThat(result.body()).isEqualTo("body: " + REAL);
            assertThat(result.responseAnnotations("secrets")).isEmpty();
        }
    }

    @Test
    void whatWasStoredIsNotReadByALaterRequest() {
        AtomicReference<String> stored = new AtomicReference<>();
        Upstream storing = request -> {
            stored.compareAndSet(null, request.header("Authorization"));
            return TestResponse.ok("stored: " + stored.get());
        };
        try (TransformHarness harness = harness(storing, entry(REPLACE))) {
            harness.send(WITH);
            ExchangeResult result = harness.send(WITHOUT);

            assertThat(result.body()).isEqualTo("stored: Bearer PLACEHOLDER");
            assertThat(result.responseAnnotations("secrets").get("redacted")).isEqualTo(use("TOKEN", "body"));
        }
    }

    @Test
    void exchangeMeansResponsesToRequestsThatCarriedIt() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE + ", redact_response: exchange"))) {
            assertThat(harness.send(WITH).body()).isEqualTo("body: PLACEHOLDER");
            assertThat(harness.send(WITHOUT).body()).isEqualTo("body: " + REAL);
        }
    }

    @Test
    void aRotatedValueIsStillTurnedBack() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE))) {
            harness.send(WITH);
            harness.rotate("TOKEN", "an0ther-credential");
            harness.send(WITH);

            assertThat(harness.send(WITHOUT)).doesNotShow("r34l");
        }
    }

    @ParameterizedTest
    @CsvSource({"{{base64 (base64 .Value)}}", "'id=abc,hex={{printf \"%x\" .Value}};end'"})
    void whatAFormatterMakesOfItIsTurnedBack(String formatter) {
        Upstream echoing = request -> TestResponse.ok("you sent " + request.header("X-Key"));
        String inject = "inject: {header: X-Key, formatter: '" + formatter + "'}";
        try (TransformHarness harness = harness(echoing, entry(inject))) {
            ExchangeResult result = harness.send(WITHOUT);

            assertThat(result.body())
                    .contains("you sent ", "SALLYPORT_REDACTED")
                    .doesNotContain("72333");
            assertThat(String.valueOf(result.sent().header("X-Key"))).doesNotContain("SALLYPORT");
        }
    }

    @ParameterizedTest
    @CsvSource({"iso-2022-jp, 502", "utf-7, 502", "ibm500, 502", "no-such, 502", "utf-8, 200", "windows-1252, 200"})
    void whatCannotBeReadIsNotPassedOn(String charset, int status) {
        Upstream strange =
                request -> TestResponse.ok("text").header("Content-Type", "text/plain; charset=\"" + charset + "\"");
        try (TransformHarness harness = harness(strange, entry(REPLACE))) {
            assertThat(harness.send(WITH)).hasStatus(status);
        }
    }

    /** Messages of gRPC have a coding of their own, which is none of the content's. */
    @ParameterizedTest
    @CsvSource({
        "application/grpc+proto, snappy",
        "application/grpc+proto, 'br, gzip'",
        "application/grpc-web-text, gzip",
    })
    void messagesOfGrpcThatCannotBeInflatedAreNotPassedOn(String type, String coding) {
        Upstream compressing =
                request -> TestResponse.ok("text").header("Content-Type", type).header("grpc-encoding", coding);
        try (TransformHarness harness = harness(compressing, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result).hasStatus(502);
            assertThat(result.body()).contains("unsupported_content_coding");
        }
    }

    /** Servers that answer in the coding of the request do so whatever is asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    void compressedMessagesOfGrpcAreInflatedAndLookedThrough(String coding) {
        String text = "you sent " + REAL;
        Upstream compressing = request -> TestResponse.status(200)
                .body(messages(coding, text, "plain"))
                .header("Content-Type", "application/grpc")
                .header("grpc-encoding", coding);
        try (TransformHarness harness = harness(compressing, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result).hasStatus(200);
            assertThat(result.body())
                    .startsWith("\0\0\0\0" + (char) text.length() + "you sent PLACEHOLDER")
                    .endsWith("\0\0\0\0\5plain")
                    .hasSize(5 + text.length() + 10);
        }
    }

    /** 64 MiB of one character in 64 KiB: more than any honest message expands by. */
    @Test
    void aMessageOfGrpcThatInflatesBeyondAllMeasureIsNotPassedOn() {
        Upstream bomb = request -> TestResponse.status(200)
                .body(messages("gzip", "a".repeat(64 << 20), "plain"))
                .header("Content-Type", "application/grpc")
                .header("grpc-encoding", "gzip");
        try (TransformHarness harness = harness(bomb, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result).hasStatus(502);
            assertThat(result.code()).isEqualTo("response_too_large");
        }
    }

    /** Two messages, the first of them compressed. */
    private static byte[] messages(String coding, String first, String second) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out =
                coding.equals("gzip") ? new GZIPOutputStream(compressed) : new DeflaterOutputStream(compressed)) {
            out.write(first.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.allocate(5 + compressed.size() + 5 + second.length())
                .put((byte) 1)
                .putInt(compressed.size())
                .put(compressed.toByteArray())
                .put((byte) 0)
                .putInt(second.length())
                .put(second.getBytes(StandardCharsets.UTF_8))
                .array();
    }

    @Test
    void plainMessagesOfGrpcAreLookedThrough() {
        Upstream echo = request -> TestResponse.ok("\0\0\0\0\100 " + REAL)
                .header("Content-Type", "application/grpc")
                .header("grpc-encoding", "identity");
        try (TransformHarness harness = harness(echo, entry(REPLACE))) {
            ExchangeResult result = harness.send(
                    WITH.header("Content-Type", "application/grpc").header("grpc-accept-encoding", "gzip, identity"));

            assertThat(result.body()).doesNotContain(REAL).contains("PLACEHOLDER");
            assertThat(result).hasForwardedHeader("grpc-accept-encoding", "identity");
        }
    }

    /** Clients of gRPC decode these before anybody sees them: what is escaped in them is not one form too deep. */
    @Test
    void fieldsOfGrpcAreReadAsTheirClientsDo() {
        String escaped = REAL.chars().mapToObj("\\u%04x"::formatted).collect(Collectors.joining());
        String percent = REAL.chars().mapToObj("%%25%02X"::formatted).collect(Collectors.joining());
        byte[] details = ("\b\3\22" + (char) escaped.length() + escaped).getBytes(StandardCharsets.ISO_8859_1);
        Upstream echo = request -> TestResponse.ok("")
                .header("Content-Type", "application/grpc")
                .header("grpc-message", "caf%C3%A9: " + percent)
                .header(
                        "grpc-status-details-bin",
                        Base64.getEncoder().withoutPadding().encodeToString(details));
        try (TransformHarness harness = harness(echo, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH.header("Content-Type", "application/grpc"));

            assertThat(result.headers().first("grpc-message")).startsWith("caf%C3%A9: PLACEHOLDER");
            byte[] after = Base64.getDecoder().decode(result.headers().first("grpc-status-details-bin"));
            String text = new String(after, StandardCharsets.ISO_8859_1);
            assertThat(text).hasSameSizeAs(details).contains("PLACEHOLDER").doesNotContain("\\u0");
        }
    }

    @Test
    void requestsDoNotChooseCharacters() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE))) {
            ExchangeResult result = harness.send(WITH.header("Accept-Charset", "utf-16")
                    .header("Accept", "text/plain;charset=utf-16;q=0.5, text/html;charset=utf-8, */*"));

            assertThat(result)
                    .hasForwardedHeader("Accept-Charset")
                    .hasForwardedHeader("Accept", "text/plain;q=0.5, text/html;charset=utf-8, */*");
        }
    }

    @Test
    void alwaysMeansEveryResponseInsideTheRules() {
        try (TransformHarness harness =
                harness(LEAKS, entry(REPLACE + ", redact_response: always, rules: [{host: b.test}]"))) {
            assertThat(harness.send(TestRequest.get("https://b.test/"))).doesNotShow("r34l");
            assertThat(harness.send(WITHOUT).body()).isEqualTo("body: " + REAL);
        }
    }

    @Test
    void offMeansNone() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE + ", redact_response: off"))) {
            assertThat(harness.send(WITH).body()).isEqualTo("body: " + REAL);
        }
    }

    @Test
    void aSecretThatMayStillBeSwappedInTheBodyCounts() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE))) {
            assertThat(harness.send(TestRequest.post("https://a.test/", "text/plain", "nothing")))
                    .doesNotShow("r34l");
        }
    }

    @Test
    void ofSecretsThatOverlapOnlyThoseThatWereUsedCount() {
        String longer = "{source: {type: fake, name: LONGER}, replace: {proxy_value: OTHER}}";
        try (TransformHarness harness = builder(entry(REPLACE), longer)
                .secrets(values().set("LONGER", REAL + " and more"))
                .upstream(request -> TestResponse.ok(REAL + " and more"))
                .start()) {
            assertThat(harness.send(WITH).body()).isEqualTo("PLACEHOLDER and more");
            assertThat(harness.send(TestRequest.get("https://a.test/").header("X", "OTHER"))
                            .body())
                    .isEqualTo("OTHER");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortValuesAreLeftAndTheOperatorIsTold(boolean rotated) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        log.start();
        root.addAppender(log);
        try (TransformHarness harness = builder(entry(REPLACE))
                .secrets(new FakeSecrets().set("TOKEN", rotated ? REAL : "7-bytes"))
                .upstream(request -> TestResponse.ok("7-bytes"))
                .start()) {
            if (rotated) {
                harness.rotate("TOKEN", "7-bytes");
            }
            assertThat(harness.send(WITH).body()).isEqualTo("7-bytes");
        } finally {
            root.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("redact_response"))
                .singleElement()
                .asString()
                .contains("secrets/0/redact_response", "TOKEN has fewer than 8 bytes")
                .doesNotContain("7-bytes");
    }

    @Test
    void nothingIsAskedForThatCouldNotBeRead() {
        try (TransformHarness harness = harness(LEAKS, entry(REPLACE + ", rules: [{host: a.test}]"))) {
            TestRequest asks = WITH.header("range", "bytes=0-4")
                    .header("If-Range", "\"x\"")
                    .header("accept-encoding", "gzip;q=0.5, dcb, zstd")
                    .header("Accept-Encoding", "*");
            assertThat(harness.send(asks))
                    .hasForwardedHeader("Range")
                    .hasForwardedHeader("If-Range")
                    .hasForwardedHeader("Accept-Encoding", "gzip;q=0.5, zstd");
            assertThat(harness.send(WITH.header("Accept-Encoding", "dcz")))
                    .hasForwardedHeader("Accept-Encoding", "identity");
            assertThat(harness.send(WITH.header("Accept-Encoding", "br ,gzip")))
                    .hasForwardedHeader("Accept-Encoding", "br ,gzip");
            TestRequest elsewhere = TestRequest.get("https://b.test/");
            assertThat(harness.send(elsewhere.header("Range", "bytes=0-4").header("Accept-Encoding", "dcz")))
                    .hasForwardedHeader("Range", "bytes=0-4")
                    .hasForwardedHeader("Accept-Encoding", "dcz");
        }
    }

    @Test
    void answersOfLaterTransformsAreTurnedBack() {
        InlineTransform answers = context -> Decision.respond(
                StubResponse.status(200).header("X-Echo", REAL).body(REAL).build());
        Capabilities local =
                Capabilities.builder().effects(Effect.ANSWERS_LOCALLY).build();
        try (TransformHarness harness = builder(entry(REPLACE))
                .secrets(values())
                .then("answers", local, answers)
                .start()) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result.body()).isEqualTo("PLACEHOLDER");
            assertThat(result.headers().first("X-Echo")).isEqualTo("PLACEHOLDER");
        }
    }

    @Test
    void aFieldWhoseNameIsAValueGoes() {
        Upstream names =
                request -> TestResponse.ok("").header("X-t0ken-value-x", "1").header("X-Other", "2");
        try (TransformHarness harness = builder(entry(REPLACE))
                .secrets(new FakeSecrets().set("TOKEN", "t0ken-value"))
                .upstream(names)
                .start()) {
            ExchangeResult result = harness.send(WITH);

            assertThat(result.headers().names()).contains("X-Other").noneMatch(name -> name.contains("t0ken"));
            assertThat(result.responseAnnotations("secrets").get("redacted")).isEqualTo(use("TOKEN", "header:(name)"));
        }
    }

    @Test
    void aPlaceholderThatCannotStandInAHeaderGivesWayToTheMarker() {
        String entry = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: \"two\\nlines\", match_body: true}}";
        try (TransformHarness harness = harness(LEAKS, entry)) {
            ExchangeResult result = harness.send(TestRequest.post("https://a.test/", "text/plain", "two\nlines"));

            assertThat(result.body()).isEqualTo("body: two\nlines");
            assertThat(result.headers().first("X-Echo")).isEqualTo("SALLYPORT_REDACTED");
        }
    }

    private static String entry(String how) {
        return "{source: {type: fake, name: TOKEN}, " + how + "}";
    }

    private static FakeSecrets values() {
        return new FakeSecrets().set("TOKEN", REAL);
    }

    private static TransformHarness.Builder builder(String... entries) {
        return Fixture.harness(entries);
    }

    private static TransformHarness harness(Upstream upstream, String... entries) {
        return builder(entries).secrets(values()).upstream(upstream).start();
    }
}
