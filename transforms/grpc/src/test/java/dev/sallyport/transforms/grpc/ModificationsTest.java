package dev.sallyport.transforms.grpc;

import static dev.sallyport.transforms.grpc.PolicyServer.lines;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transform.v1.HttpRequest;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformResponseResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModificationsTest {

    private static final String BODIES = ", send_request_body: true, send_response_body: true";

    @TempDir
    Path folder;

    private final PolicyServer server = PolicyServer.start();

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void theServerIsToldOfRequestAndResponse(Version version) throws Exception {
        try (Gate gate = Gate.start(folder, version, Gate.ask(server, BODIES))) {
            HttpResponse<String> response = gate.send(gate.request("/v1/items?limit=10&a=%2F")
                    .header("x-request-id", "one")
                    .header("x-twice", "1")
                    .header("x-twice", "2")
                    .POST(BodyPublishers.ofString("{\"a\":1}"))
                    .build());

            assertThat(response.body()).isEqualTo("from the origin");
            HttpRequest shown = server.request();
            assertThat(shown.getMethod()).isEqualTo("POST");
            assertThat(shown.getUrl()).isEqualTo("/v1/items?limit=10&a=%2F");
            assertThat(shown.getHost()).isEqualTo("localhost:" + gate.originPort());
            assertThat(shown.getRemoteAddr()).matches("127\\.0\\.0\\.1:[0-9]+");
            assertThat(shown.getBody().toStringUtf8()).isEqualTo("{\"a\":1}");
            assertThat(shown.getHeadersMap())
                    .containsEntry("X-Request-Id", lines("one"))
                    .containsEntry("X-Twice", lines("1", "2"))
                    .doesNotContainKey("Host");
            assertThat(server.requests().getFirst().getContext().getSni()).isEqualTo("localhost");
            assertThat(server.requests().getFirst().getContext().getTunnel().getTarget())
                    .isEqualTo("localhost:" + gate.originPort());
            assertThat(server.responses().getFirst().getRequest())
                    .isEqualTo(shown.toBuilder().clearBody().build());
            assertThat(server.response().getStatusCode()).isEqualTo(200);
            assertThat(server.response().getBody().toStringUtf8()).isEqualTo("from the origin");
        }
    }

    @Test
    void withoutBodiesOnlyHeadsAreShown() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertThat(gate.post("/", "{}").statusCode()).isEqualTo(200);

            assertThat(server.request().hasBody()).isFalse();
            assertThat(server.response().hasBody()).isFalse();
            assertThat(gate.sent().body()).isEqualTo("{}");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void everythingOfARequestCanBeChanged(Version version) throws Exception {
        server.modifying(request -> request.setMethod("PUT")
                .setUrl("/other%20path?x=2")
                .putHeaders("X-New", lines("a", "b"))
                .putHeaders("x-changed", lines("after"))
                .removeHeaders("X-Changed")
                .removeHeaders("X-Removed")
                .setBody(ByteString.copyFromUtf8("a longer body than before")));
        try (Gate gate = Gate.start(folder, version, Gate.ask(server, BODIES))) {
            HttpResponse<String> response = gate.send(gate.request("/v1?x=1")
                    .header("X-Changed", "before")
                    .header("X-Removed", "here")
                    .header("X-Kept", "kept")
                    .POST(BodyPublishers.ofString("short"))
                    .build());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(gate.sent().method()).isEqualTo("PUT");
            assertThat(gate.sent().target()).isEqualTo("/other%20path?x=2");
            assertThat(gate.sent().headers().all("x-new")).containsExactly("a", "b");
            assertThat(gate.sent().headers().all("x-changed")).containsExactly("after");
            assertThat(gate.sent().headers().all("x-removed")).isEmpty();
            assertThat(gate.sent().header("x-kept")).isEqualTo("kept");
            assertThat(gate.sent().body()).isEqualTo("a longer body than before");
            assertThat(gate.sent().header("Content-Length")).isEqualTo("25");
            assertThat(server.responses().getFirst().getRequest().getUrl()).isEqualTo("/other%20path?x=2");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void everythingOfAResponseCanBeChanged(Version version) throws Exception {
        server.modifyingBack(response -> response.setStatusCode(203)
                .putHeaders("X-New", lines("a", "b"))
                .putHeaders("X-Changed", lines("after"))
                .removeHeaders("X-Removed")
                .setBody(ByteString.copyFromUtf8("changed")));
        try (Gate gate = Gate.start(
                folder,
                version,
                request ->
                        TestResponse.ok("before").header("X-Changed", "before").header("X-Removed", "here"),
                Gate.ask(server, BODIES))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(203);
            assertThat(response.headers().allValues("x-new")).containsExactly("a", "b");
            assertThat(response.headers().allValues("x-changed")).containsExactly("after");
            assertThat(response.headers().firstValue("x-removed")).isEmpty();
            assertThat(response.body()).isEqualTo("changed");
        }
    }

    @Test
    void aBodyCanBeGivenWithoutHavingBeenSent() throws Exception {
        server.modifying(request -> HttpRequest.newBuilder().setBody(ByteString.copyFromUtf8("other")))
                .modifyingBack(response -> response.clear().setBody(ByteString.EMPTY));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.post("/", "{}");

            assertThat(gate.sent().body()).isEqualTo("other");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEmpty();
            assertThat(response.headers().firstValue("content-length")).hasValue("0");
        }
    }

    @Test
    void anEmptyBodyReplacesOneAndAnUnsetOneDoesNot() throws Exception {
        server.modifying(
                request -> request.getUrl().equals("/empty") ? request.setBody(ByteString.EMPTY) : request.clearBody());
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES))) {
            gate.post("/empty", "{}");
            gate.post("/unset", "{}");

            assertThat(gate.forwarded()).extracting(request -> request.body()).containsExactly("", "{}");
        }
    }

    @Test
    void bodiesAreShownWithoutTheirCodingAndCodedAgain() throws Exception {
        server.modifying(request -> request.setBody(
                ByteString.copyFromUtf8(request.getBody().toStringUtf8().replace("secret", "******"))));
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES))) {
            gate.send(gate.request("/")
                    .header("Content-Encoding", "gzip")
                    .POST(BodyPublishers.ofByteArray(gzip("a secret")))
                    .build());

            assertThat(server.request().getBody().toStringUtf8()).isEqualTo("a secret");
            assertThat(server.request().getHeadersMap()).doesNotContainKeys("Content-Encoding", "Content-Length");
            assertThat(gate.sent().header("Content-Encoding")).isEqualTo("gzip");
            assertThat(gunzip(gate.sent().content())).isEqualTo("a ******");
        }
    }

    @Test
    void aCodedBodyThatComesBackAsItWasGoesOnInItsOriginalBytes() throws Exception {
        server.modifying(request -> request.putHeaders("X-Seen", lines("yes")));
        byte[] coded = gzip("a text that another compressor would write in other bytes");
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES))) {
            gate.send(gate.request("/")
                    .header("Content-Encoding", "gzip")
                    .POST(BodyPublishers.ofByteArray(coded))
                    .build());

            assertThat(gate.sent().content()).isEqualTo(coded);
            assertThat(gate.sent().header("X-Seen")).isEqualTo("yes");
        }
    }

    @Test
    void whatComesBackAsItWasKeepsPlaceAndCasing() throws Exception {
        server.modifying(request -> request.putHeaders("X-B", lines("2", "three"))
                .putHeaders("Host", lines("elsewhere.example.com"))
                .putHeaders("Connection", lines("close"))
                .putHeaders(":path", lines("/elsewhere")));
        CompletableFuture<Wire.Message> seen = new CompletableFuture<>();
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""));
                TestOrigin origin = TestOrigin.handling(request -> {
                    seen.complete(request);
                    return TestOrigin.ok("");
                });
                Wire client = new Wire(gate.connect())) {
            client.send("GET / HTTP/1.1\r\nx-A: 1\r\nHOST: localhost:" + origin.port()
                    + "\r\nX-b: 2\r\nX-C: 4\r\nx-B: 3\r\n\r\n");

            assertThat(seen.get(Patience.SECONDS, TimeUnit.SECONDS).fields())
                    .containsSequence("x-A: 1", "HOST: localhost:" + origin.port(), "X-b: 2", "X-C: 4", "x-B: three");
            client.close();
            JsonNode notes =
                    gate.records().getFirst().path("request_transforms").path(0).path("annotations");
            assertThat(notes.path("headers_ignored"))
                    .extracting(JsonNode::asText)
                    .containsExactlyInAnyOrder("Host", "Connection", ":");
        }
    }

    @Test
    void anEmptySetOfHeadersChangesNone() throws Exception {
        server.modifying(request -> request.clearHeaders().setMethod("").setUrl(""));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            gate.send(gate.request("/a?b").header("X-Kept", "kept").build());

            assertThat(gate.sent().header("X-Kept")).isEqualTo("kept");
            assertThat(gate.sent().target()).isEqualTo("/a?b");
        }
    }

    @Test
    void aModifiedHostChangesNoDestination() throws Exception {
        server.modifying(request -> request.setHost("elsewhere.example.com"));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);

            assertThat(gate.sent().header("Host")).isEqualTo("localhost:" + gate.originPort());
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("request_transforms")
                            .path(0)
                            .path("annotations")
                            .path("host_ignored")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void severalEntriesAreAskedInTheOrderOfTheListAndBackwards() throws Exception {
        server.modifying(request -> append(request, "first"))
                .modifyingBack(response -> response.putHeaders(
                        "X-Way",
                        lines(response.getHeadersOrDefault("X-Way", lines("")).getValues(0) + "first")));
        try (PolicyServer second = PolicyServer.start();
                Gate gate = Gate.start(
                        folder,
                        Gate.ask(server, ""),
                        Gate.ask(
                                "second",
                                second.modifying(request -> append(request, "second"))
                                        .modifyingBack(response -> response.putHeaders("X-Way", lines("second,")))
                                        .target(),
                                ""))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(gate.sent().headers().all("X-Way")).containsExactly("first", "second");
            assertThat(response.headers().allValues("X-Way")).containsExactly("second,first");
            assertThat(second.responses().getFirst().getRequest().getHeadersOrThrow("X-Way"))
                    .isEqualTo(lines("first", "second"));
            assertThat(server.responses().getFirst().getRequest().getHeadersOrThrow("X-Way"))
                    .isEqualTo(lines("first"));
            List<JsonNode> records = gate.records();
            assertThat(records.getFirst()
                            .path("response_transforms")
                            .path(0)
                            .path("annotations")
                            .path("instance")
                            .asText())
                    .isEqualTo("second");
        }
    }

    private static HttpRequest.Builder append(HttpRequest.Builder request, String value) {
        return request.putHeaders(
                "X-Way",
                request.getHeadersOrDefault("X-Way", lines()).toBuilder()
                        .addValues(value)
                        .build());
    }

    @Test
    void rulesSayWhatIsAskedAbout() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", rules: [{host: localhost, paths: [\"/asked\"]}]"))) {
            gate.get("/asked");
            gate.get("/other");

            assertThat(server.requests()).hasSize(1);
            assertThat(server.responses()).hasSize(1);
            assertThat(gate.forwarded()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSwitchOfProtocolsIsJudgedToo(boolean rejected) throws Exception {
        TransformResponseResponse reject = TransformResponseResponse.newBuilder()
                .setAction(TransformAction.TRANSFORM_ACTION_REJECT)
                .build();
        server.modifyingBack(response -> response.putHeaders("X-Seen", lines("yes")));
        if (rejected) {
            server.responses(question -> reject);
        }
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES));
                TestOrigin origin = TestOrigin.of(peer -> peer.send(WebSocketFrames.agreement(peer.readHead())));
                Wire client = new Wire(gate.connect())) {
            List<String> answer = switched(client, origin);

            assertThat(server.response().getStatusCode()).isEqualTo(101);
            assertThat(server.response().hasBody()).isFalse();
            if (rejected) {
                assertThat(answer.getFirst()).startsWith("HTTP/1.1 403");
            } else {
                assertThat(answer.getFirst()).startsWith("HTTP/1.1 101");
                assertThat(answer).contains("X-Seen: yes");
            }
        }
    }

    /** The lines of what the client gets. */
    private static List<String> switched(Wire client, TestOrigin origin) throws IOException {
        client.send(WebSocketFrames.opening("/chat", "localhost:" + origin.port()));
        return client.readHead().lines().toList();
    }

    /** The origin has switched: another status would leave the client with a protocol that nobody speaks. */
    @ParameterizedTest
    @ValueSource(ints = {200, 403, 599})
    void aSwitchOfProtocolsKeepsItsStatusOrIsRefused(int status) throws Exception {
        server.modifyingBack(response -> response.setStatusCode(status));
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES));
                TestOrigin origin = TestOrigin.of(peer -> peer.send(WebSocketFrames.agreement(peer.readHead())));
                Wire client = new Wire(gate.connect())) {
            List<String> answer = switched(client, origin);

            assertThat(answer.getFirst()).startsWith("HTTP/1.1 503");
            assertThat(gate.records().getFirst().toString()).contains("status " + status + " (expected: 101)");
        }
    }

    @Test
    void headOnlyResponsesKeepTheirLength() throws Exception {
        server.modifyingBack(response -> response.putHeaders("X-Seen", lines("yes")));
        try (Gate gate = Gate.start(folder, Gate.ask(server, BODIES))) {
            HttpResponse<Void> response =
                    gate.client().send(gate.request("/").HEAD().build(), BodyHandlers.discarding());

            assertThat(response.headers().firstValue("X-Seen")).hasValue("yes");
            assertThat(response.headers().firstValue("Content-Length")).hasValue("15");
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static String gunzip(byte[] bytes) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new java.io.ByteArrayInputStream(bytes))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
