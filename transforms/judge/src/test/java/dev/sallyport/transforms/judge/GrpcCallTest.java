package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.WholeProxy;
import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a model is shown of a call of gRPC, which may last, and whose parties may wait for one another. */
class GrpcCallTest {

    private static final String FIRST =
            "body: the first message of a gRPC call, as far as it is text; later messages are not examined";

    @TempDir
    Path folder;

    private ModelServer model;
    private TestUpstream origin;
    private WholeProxy proxy;
    private HttpClient client;

    @BeforeEach
    void start() throws Exception {
        model = new ModelServer();
        origin = TestUpstream.https(request -> TestResponse.ok("done"));
        // Any variable that is there will do for a key.
        String judge = JudgedProxy.judge("llm_b", model.url(), "").replace("JUDGE_KEY", "HOME");
        proxy = WholeProxy.start(folder, "[" + judge + "]", origin, new JudgeFactory());
        client = proxy.client(HttpClient.Version.HTTP_2);
    }

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        origin.close();
        model.close();
    }

    private static byte[] message(int flag, byte[] content) throws Exception {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(message);
        out.writeByte(flag);
        out.writeInt(content.length);
        out.write(content);
        return message.toByteArray();
    }

    private static byte[] message(String content) throws Exception {
        return message(0, content.getBytes(StandardCharsets.UTF_8));
    }

    private HttpRequest call(String type, BodyPublisher body, String... fields) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(origin.url() + "/pkg.Service/Call"))
                .header("Content-Type", type)
                .header("TE", "trailers");
        if (fields.length > 0) {
            request.headers(fields);
        }
        return request.POST(body).build();
    }

    private JsonNode shown(HttpRequest request) throws Exception {
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        return ModelServer.JSON.readTree(model.asked().getLast().user());
    }

    private static List<String> warnings(JsonNode envelope) {
        return envelope.path("warnings").valueStream().map(JsonNode::asText).toList();
    }

    @Test
    void theFirstMessageIsLookedAt() throws Exception {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.write(message("drop table users"));
        two.write(message("second"));
        JsonNode envelope = shown(call("application/grpc+proto", BodyPublishers.ofByteArray(two.toByteArray())));

        assertThat(envelope.path("body").asText()).isEqualTo("drop table users");
        assertThat(warnings(envelope)).containsExactly(FIRST);
        assertThat(origin.requests().getLast().content()).isEqualTo(two.toByteArray());
        assertThat(proxy.audited()).contains("\"warnings\":[\"" + FIRST + "\",\"trailers: not examined");
    }

    @Test
    void aCallThatEndsWithoutAMessageIsJudgedByItsHead() throws Exception {
        JsonNode envelope = shown(call("application/grpc", BodyPublishers.ofByteArray(new byte[] {0, 0})));

        assertThat(envelope.has("body")).isFalse();
    }

    @Test
    void anEmptyMessageIsNone() throws Exception {
        assertThat(shown(call("application/grpc", BodyPublishers.ofByteArray(message(""))))
                        .has("body"))
                .isFalse();
    }

    @Test
    void ofALongMessageTheBeginningIsLookedAt() throws Exception {
        JsonNode envelope = shown(call("application/grpc", BodyPublishers.ofByteArray(message("x".repeat(40_000)))));

        assertThat(envelope.path("body").asText()).isEqualTo("x".repeat(Envelope.MAX_BODY));
        assertThat(warnings(envelope)).containsExactly(FIRST, "body: cut, longer than 16384 bytes");
    }

    @Test
    void aCompressedMessageIsInflated() throws Exception {
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write("y".repeat(1_000_000).getBytes(StandardCharsets.UTF_8));
        }
        byte[] message = message(1, gzip.toByteArray());
        JsonNode envelope =
                shown(call("application/grpc", BodyPublishers.ofByteArray(message), "grpc-encoding", "gzip"));

        assertThat(envelope.path("body").asText()).isEqualTo("y".repeat(Envelope.MAX_BODY));
        assertThat(warnings(envelope)).containsExactly(FIRST, "body: cut, inflated to 16384 bytes");

        assertThat(warnings(shown(call("application/grpc", BodyPublishers.ofByteArray(message)))))
                .containsExactly(FIRST, "body: omitted, compressed with an unknown coding");
    }

    @Test
    void anotherMediaTypeIsNoCall() throws Exception {
        for (String type : List.of("application/grpc-web", "application/grpcx", "application/grpc+")) {
            JsonNode envelope = shown(call(type, BodyPublishers.ofString("all of it")));

            assertThat(envelope.path("body").asText()).as(type).isEqualTo("all of it");
        }
    }

    /** The client says no more until it has been answered. */
    @ParameterizedTest
    @ValueSource(strings = {"hello", ""})
    void aConversationIsNotWaitedFor(String hello) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (SubmissionPublisher<ByteBuffer> body = new SubmissionPublisher<>()) {
            CompletableFuture<HttpResponse<String>> answer = client.sendAsync(
                    call("application/grpc", BodyPublishers.fromPublisher(subscriber -> {
                        body.subscribe(subscriber);
                        asked.countDown();
                    })),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            body.submit(ByteBuffer.wrap(message(hello)));
            model.awaitQuestion();
            body.submit(ByteBuffer.wrap(message("more")));
            body.close();

            assertThat(answer.get(Patience.SECONDS, TimeUnit.SECONDS).statusCode())
                    .isEqualTo(200);
            assertThat(ModelServer.JSON
                            .readTree(model.asked().getLast().user())
                            .path("body")
                            .asText())
                    .isEqualTo(hello);
        }
    }
}
