package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testsupport.Patience;
import io.grpc.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailuresTest {

    @TempDir
    Path folder;

    private final PolicyServer server = PolicyServer.start();

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {"UNAVAILABLE", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED", "INTERNAL", "PERMISSION_DENIED", "CANCELLED"
            })
    void aFailedCallRefusesARequest(Status.Code code) throws Exception {
        server.onRequest((question, to) -> to.onError(
                Status.fromCode(code).withDescription("by the server").asException()));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertRefused(gate.get("/"));

            assertThat(gate.forwarded()).isEmpty();
            assertThat(server.requests()).hasSize(1);
            assertThat(gate.calls("request", code.name().toLowerCase(Locale.ROOT)))
                    .isEqualTo(1);
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
            assertThat(record.path("request_transforms")
                            .path(0)
                            .path("annotations")
                            .path("error")
                            .asText())
                    .isEqualTo(code + ": by the server");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aFailedCallRefusesAResponse(Version version) throws Exception {
        server.onResponse((question, to) -> to.onError(Status.RESOURCE_EXHAUSTED.asException()));
        try (Gate gate = Gate.start(folder, version, Gate.ask(server, ", send_response_body: true"))) {
            assertRefused(gate.get("/"));

            JsonNode record = gate.records().getFirst();
            assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
            assertThat(record.path("response_transforms")
                            .path(0)
                            .path("annotations")
                            .path("error")
                            .asText())
                    .isEqualTo("RESOURCE_EXHAUSTED");
        }
    }

    @Test
    void aServerThatIsDownRefuses() throws Exception {
        server.close();
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertRefused(gate.get("/"));
            assertRefused(gate.get("/"));

            assertThat(gate.forwarded()).isEmpty();
            assertThat(error(gate)).startsWith("UNAVAILABLE: ").endsWith(": connection refused");
        }
    }

    @Test
    void aNameWithoutAddressRefuses() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask("house", "no-such-name.invalid:9000", ""))) {
            assertRefused(gate.get("/"));

            assertThat(gate.forwarded()).isEmpty();
            assertThat(error(gate))
                    .startsWith("UNAVAILABLE: ")
                    .endsWith("the name no-such-name.invalid does not exist");
        }
    }

    @Test
    void namesResolveAsThoseOfUpstreamsDo() throws Exception {
        // The hosts file and RFC 6761 are in the resolver of the engine, and a name under localhost in no other.
        try (Gate gate = Gate.start(folder, Gate.ask("house", "policy.localhost:" + server.port(), ""))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aServerThatSpeaksSomethingElseRefuses() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                Gate gate = Gate.start(
                        folder, Gate.ask("house", "127.0.0.1:" + other.getLocalPort(), ", timeout: 500ms"))) {
            Thread.ofVirtual().start(() -> speak(other));

            assertRefused(gate.get("/"));
        }
    }

    private static void speak(ServerSocket socket) {
        try {
            while (true) {
                try (Socket connection = socket.accept()) {
                    connection.getOutputStream().write("SSH-2.0-other\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    @Test
    void aCallThatTakesTooLongRefuses() throws Exception {
        server.onRequest((question, to) -> {});
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", timeout: 2s"))) {
            assertRefused(gate.get("/"));

            assertThat(gate.forwarded()).isEmpty();
            assertThat(server.cancelled().await(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(gate.calls("request", "deadline_exceeded")).isEqualTo(1);
            assertThat(error(gate)).isEqualTo("DEADLINE_EXCEEDED: no answer within 2000 ms");
        }
    }

    @Test
    void aResponseIsNotWaitedForLonger() throws Exception {
        server.onResponse((question, to) -> {});
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", timeout: 200ms"))) {
            assertRefused(gate.get("/"));
        }
    }

    @Test
    void theClientsLeavingCancelsTheCall() throws Exception {
        server.onRequest((question, to) -> {});
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", timeout: 30s"))) {
            try (Socket client = gate.connect()) {
                // A reset: whoever ends but its own half still waits for the answer.
                client.setSoLinger(true, 0);
                OutputStream out = client.getOutputStream();
                out.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                await().until(() -> !server.requests().isEmpty());
            }

            assertThat(server.cancelled().await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(gate.records().getFirst().path("audit").path("action").asText())
                    .isEqualTo("client_cancel");
        }
    }

    @Test
    void anAnswerThatIsTooLargeRefuses() throws Exception {
        server.modifying(request -> request.setBody(ByteString.copyFrom(new byte[(2 << 20) + 100_000])));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", send_request_body: true"))) {
            assertRefused(gate.post("/", "{}"));

            assertThat(gate.forwarded()).isEmpty();
            assertThat(gate.calls("request", "resource_exhausted")).isEqualTo(1);
        }
    }

    @Test
    void aBodyAsLongAsTheLimitFitsInBothDirections() throws Exception {
        String body = "x".repeat(1 << 20);
        server.modifying(request -> request);
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", send_request_body: true"))) {
            assertThat(gate.post("/", body).statusCode()).isEqualTo(200);

            assertThat(server.request().getBody().size()).isEqualTo(1 << 20);
            assertThat(gate.sent().body()).isEqualTo(body);
        }
    }

    @Test
    void aRequestOverTheLimitIs413() throws Exception {
        try (Gate gate = Gate.start(folder, Version.HTTP_2, Gate.ask(server, ", send_request_body: true"))) {
            HttpResponse<String> response = gate.post("/", "x".repeat((1 << 20) + 1));

            assertThat(response.statusCode()).isEqualTo(413);
            assertThat(server.requests()).isEmpty();
            assertThat(gate.forwarded()).isEmpty();
        }
    }

    @Test
    void withoutBodiesTheLimitDoesNotCount() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertThat(gate.post("/", "x".repeat((1 << 20) + 1)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Tag("long")
    void aResponseOverTheLimitIs502() throws Exception {
        try (Gate gate = Gate.limited(
                folder,
                ", max_response_body_bytes: 1000",
                request -> TestResponse.ok("x".repeat(1001)),
                Gate.ask(server, ", send_response_body: true"))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(502);
            assertThat(response.body()).contains("response_too_large");
            assertThat(server.responses()).isEmpty();
        }
    }

    @Test
    void aCodingThatNobodyKnowsIs415() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", send_request_body: true"))) {
            HttpResponse<String> response = gate.send(gate.request("/")
                    .header("Content-Encoding", "secret-coding")
                    .POST(BodyPublishers.ofString("bytes"))
                    .build());

            assertThat(response.statusCode()).isEqualTo(415);
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void aRefusalNamesTheRuleThatMatched() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", rules: [{host: a.test}, {host: localhost}]"))) {
            server.kill();

            HttpResponse<String> response = gate.get("/");
            assertRefused(response);
            assertThat(response.body())
                    .contains("\"transform\":\"grpc\",\"name\":\"house\",\"rule\":\"transforms[0].rules[1]\"");
        }
    }

    /** What the record of the first request says of the call. */
    private static String error(Gate gate) throws Exception {
        return gate.records()
                .getFirst()
                .at("/request_transforms/0/annotations/error")
                .asText();
    }

    private static void assertRefused(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(response.body()).contains("\"transform_unavailable\"").doesNotContain("from the origin");
    }
}
