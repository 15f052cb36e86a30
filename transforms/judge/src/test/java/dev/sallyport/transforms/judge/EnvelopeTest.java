package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What reaches the model of a request: bounded, masked, and always data. */
class EnvelopeTest {

    private static final Set<String> FIELDS = Set.of("method", "url", "host", "headers", "body", "warnings");
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @TempDir
    Path folder;

    private ModelServer model;
    private JudgedProxy proxy;

    @BeforeEach
    void start() throws Exception {
        model = new ModelServer();
        proxy = JudgedProxy.start(folder, JudgedProxy.judge("llm_b", model.url(), ""), "{name: swapping, config: {}}");
    }

    @AfterEach
    void stop() {
        proxy.close();
        model.close();
    }

    /** The envelope of a request, after a look at everything around it. */
    private JsonNode envelope(HttpRequest request) throws Exception {
        assertThat(proxy.send(request).statusCode()).isEqualTo(200);
        ModelServer.Asked asked = model.asked().getLast();
        assertThat(asked.body().path("messages"))
                .extracting(message -> message.path("role").asText())
                .containsExactly("system", "user");
        assertThat(asked.system()).isEqualTo(SystemPrompt.of("Be \"strict\"."));
        JsonNode envelope = STRICT.readTree(asked.user());
        assertThat(envelope.isObject()).isTrue();
        assertThat(FIELDS)
                .containsAll(new TreeSet<>(List.copyOf(envelope.properties().stream()
                        .map(java.util.Map.Entry::getKey)
                        .toList())));
        return envelope;
    }

    private static String header(JsonNode envelope, String name) {
        for (JsonNode header : envelope.path("headers")) {
            if (header.path("name").asText().equalsIgnoreCase(name)) {
                return header.path("value").asText();
            }
        }
        return "(none)";
    }

    private static List<String> warnings(JsonNode envelope) {
        return envelope.path("warnings").valueStream().map(JsonNode::asText).toList();
    }

    private HttpRequest post(String body) {
        return proxy.request("/v1/items").POST(BodyPublishers.ofString(body)).build();
    }

    @Test
    void itNamesTheRequest() throws Exception {
        JsonNode envelope = envelope(proxy.request("/v1/items?q=1")
                .header("X-Odd", "v\"a\\l")
                .PUT(BodyPublishers.ofString("the body"))
                .build());

        assertThat(envelope.path("method").asText()).isEqualTo("PUT");
        assertThat(envelope.path("url").asText())
                .startsWith("http://localhost:")
                .endsWith("/v1/items?q=1");
        assertThat(envelope.path("host").asText()).isEqualTo("localhost");
        assertThat(header(envelope, "X-Odd")).isEqualTo("v\"a\\l");
        assertThat(envelope.path("body").asText()).isEqualTo("the body");
        assertThat(warnings(envelope)).isEmpty();
    }

    @Test
    void aRequestWithoutABodyHasNone() throws Exception {
        JsonNode envelope = envelope(proxy.request("/v1/items").build());
        assertThat(envelope.has("body")).isFalse();
        assertThat(warnings(envelope)).isEmpty();
    }

    @Test
    void credentialsAreMaskedUnlessTheyAreAPlaceholder() throws Exception {
        String basic = "Basic "
                + Base64.getEncoder()
                        .encodeToString(("user:" + JudgedProxy.PLACEHOLDER).getBytes(StandardCharsets.UTF_8));
        for (String shown : List.of("Bearer " + JudgedProxy.PLACEHOLDER, basic)) {
            JsonNode envelope =
                    envelope(proxy.request("/").header("Authorization", shown).build());
            assertThat(header(envelope, "Authorization")).isEqualTo(shown);
        }
        JsonNode envelope = envelope(proxy.request("/")
                .header("Authorization", "Bearer the-workloads-own")
                .header("Cookie", "session=the-workloads-own")
                .header("X-Api-Key", "no credential by its name")
                .build());
        assertThat(header(envelope, "Authorization")).isEqualTo("[masked, 24 bytes]");
        assertThat(header(envelope, "Cookie")).isEqualTo("[masked, 25 bytes]");
        assertThat(header(envelope, "X-Api-Key")).isEqualTo("no credential by its name");
    }

    @Test
    void everyCutIsStated() throws Exception {
        HttpRequest.Builder large = proxy.request("/" + "u".repeat(3_000)).header("A-Long", "v".repeat(600));
        for (int i = 0; i < 20; i++) {
            large.header("X-Flood-" + i, "f".repeat(500));
        }
        JsonNode envelope = envelope(large.header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("é".repeat(10_000)))
                .build());

        assertThat(envelope.path("url").asText()).hasSize(2_048);
        assertThat(header(envelope, "A-Long")).isEqualTo("v".repeat(512) + "... [truncated, original 600 bytes]");
        assertThat(header(envelope, "Content-Type")).isEqualTo("text/plain");
        int length = 0;
        for (JsonNode header : envelope.path("headers")) {
            length += header.path("name").asText().length()
                    + header.path("value").asText().length();
        }
        assertThat(length).isBetween(3_000, 4_096);
        assertThat(envelope.path("body").asText()).isEqualTo("é".repeat(8_192));
        assertThat(warnings(envelope))
                .hasSize(3)
                .anyMatch(warning -> warning.startsWith("url: cut, "))
                .anyMatch(warning -> warning.matches("headers: \\d+ left out"))
                .contains("body: cut, longer than 16384 bytes");
    }

    @Test
    void aCharacterThatTheCutDividesIsLeftOut() throws Exception {
        assertThat(envelope(post("x" + "é".repeat(10_000))).path("body").asText())
                .isEqualTo("x" + "é".repeat(8_191));
    }

    @Test
    void whatIsNotUtf8IsLeftOut() throws Exception {
        JsonNode envelope = envelope(proxy.request("/")
                .POST(BodyPublishers.ofByteArray(new byte[] {'a', (byte) 0xff, 'b'}))
                .build());
        assertThat(envelope.has("body")).isFalse();
        assertThat(warnings(envelope)).containsExactly("body: omitted, not UTF-8");
    }

    /** There is no gRPC over HTTP/1.1. */
    @ParameterizedTest
    @ValueSource(strings = {"application/grpc", "application/grpc+proto", "application/grpc-web", "Application/GRPC;x"})
    void whatOnlyCallsItselfACallHidesNoBody(String type) throws Exception {
        JsonNode envelope = envelope(proxy.request("/pkg.Service/Call")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString("delete everything"))
                .build());
        assertThat(envelope.path("body").asText()).isEqualTo("delete everything");
        assertThat(warnings(envelope)).isEmpty();
    }

    @Test
    void whatIsNotSeenStandsInTheRecord() throws Exception {
        envelope(proxy.request("/")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[] {(byte) 0xff})))
                .build());
        assertThat(proxy.annotations().getFirst().path("warnings").valueStream().map(JsonNode::asText))
                .containsExactly("body: omitted, not UTF-8", "trailers: not examined, if there are any");
    }

    @Test
    void messagesOfAWebSocketAreNotSeen() throws Exception {
        JsonNode envelope = envelope(
                proxy.request("/").header("Sec-WebSocket-Version", "13").build());
        assertThat(warnings(envelope)).containsExactly("websocket: messages are not examined");
        assertThat(proxy.annotations().getFirst().path("warnings").valueStream().map(JsonNode::asText))
                .containsExactly("websocket: messages are not examined");
    }

    static List<String> attacks() {
        return Attacks.bodies();
    }

    /** Whatever a body says, it is the content of one string, and all else is as it would be without it. */
    @ParameterizedTest
    @MethodSource("attacks")
    void noBodyLeavesItsString(String body) throws Exception {
        JsonNode plain = envelope(post("harmless"));
        JsonNode envelope = envelope(post(body));

        assertThat(envelope.path("body").asText()).isEqualTo(body);
        assertThat(envelope.path("method")).isEqualTo(plain.path("method"));
        assertThat(envelope.path("url")).isEqualTo(plain.path("url"));
        assertThat(envelope.path("headers").size())
                .isEqualTo(plain.path("headers").size());
        assertThat(warnings(envelope)).isEmpty();
    }
}
