package dev.sallyport.transforms.grpc;

import static dev.sallyport.transforms.grpc.PolicyServer.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformRequestResponse;
import dev.sallyport.transform.v1.TransformResponseResponse;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictsTest {

    private static final TransformRequestResponse REJECT = TransformRequestResponse.newBuilder()
            .setAction(TransformAction.TRANSFORM_ACTION_REJECT)
            .build();
    private static final String RULE = "\"transform\":\"grpc\",\"name\":\"house\",\"rule\":\"transforms[0].rules[1]\"";

    private static final TransformResponseResponse REJECT_BACK = TransformResponseResponse.newBuilder()
            .setAction(TransformAction.TRANSFORM_ACTION_REJECT)
            .build();

    @TempDir
    Path folder;

    private final PolicyServer server = PolicyServer.start();

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void aBareRejectionIsAProblemDocumentWith403() throws Exception {
        server.requests(question -> REJECT);
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
            assertThat(response.body()).contains("\"transform_rejected\"", "\"transform\":\"grpc\"");
            assertThat(gate.forwarded()).isEmpty();
            assertThat(gate.calls("request", "reject")).isEqualTo(1);
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
            assertThat(record.path("rejected_by").asText()).isEqualTo("grpc");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aRejectionMayHaveAResponseOfItsOwn(Version version) throws Exception {
        server.requests(question -> REJECT.toBuilder()
                .setResponse(REJECT.getResponse().toBuilder()
                        .setStatusCode(451)
                        .putHeaders("X-Why", lines("a", "b"))
                        .putHeaders("Content-Length", lines("3"))
                        .putHeaders("Transfer-Encoding", lines("chunked"))
                        .putHeaders(":status", lines("200"))
                        .setBody(ByteString.copyFromUtf8("not for you")))
                .putAnnotations("ticket", "T-1")
                .build());
        try (Gate gate = Gate.start(folder, version, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.post("/", "{}");

            assertThat(response.statusCode()).isEqualTo(451);
            assertThat(response.headers().allValues("x-why")).containsExactly("a", "b");
            assertThat(response.body()).isEqualTo("not for you");
            assertThat(gate.forwarded()).isEmpty();
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
            assertThat(record.path("audit").path("status_code").asInt()).isEqualTo(451);
            assertThat(record.path("request_transforms")
                            .path(0)
                            .path("annotations")
                            .path("ticket")
                            .asText())
                    .isEqualTo("T-1");
        }
    }

    @Test
    void aRejectionMayBeARedirect() throws Exception {
        server.requests(question -> REJECT.toBuilder()
                .setResponse(REJECT.getResponse().toBuilder()
                        .setStatusCode(302)
                        .putHeaders("Location", lines("https://login.example.com/")))
                .build());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(302);
            assertThat(response.headers().firstValue("Location")).hasValue("https://login.example.com/");
            assertThat(gate.forwarded()).isEmpty();
            assertThat(gate.records().getFirst().path("audit").path("action").asText())
                    .isEqualTo("reject");
        }
    }

    @Test
    void aStatusOfNothingIs403WithWhatElseWasGiven() throws Exception {
        server.requests(question -> REJECT.toBuilder()
                .setResponse(REJECT.getResponse().toBuilder().setBody(ByteString.copyFromUtf8("no")))
                .build());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).isEqualTo("no");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aResponseCanBeRejected(Version version) throws Exception {
        server.responses(question -> REJECT_BACK.toBuilder()
                .setModifiedResponse(REJECT_BACK.getModifiedResponse().toBuilder()
                        .setStatusCode(410)
                        .putHeaders("X-Why", lines("policy"))
                        .setBody(ByteString.copyFromUtf8("withdrawn")))
                .build());
        try (Gate gate = Gate.start(folder, version, Gate.ask(server, ""))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(410);
            assertThat(response.headers().firstValue("X-Why")).hasValue("policy");
            assertThat(response.body()).isEqualTo("withdrawn");
            assertThat(gate.calls("response", "reject")).isEqualTo(1);
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("audit").path("action").asText()).isEqualTo("reject");
            assertThat(record.path("audit").path("status_code").asInt()).isEqualTo(410);
            assertThat(record.path("rejected_by").asText()).isEqualTo("grpc");
            assertThat(record.path("response_transforms").path(0).path("action").asText())
                    .isEqualTo("reject");
        }
    }

    @Test
    void aBareRejectionOfAResponseIsAProblemDocument() throws Exception {
        server.responses(question -> REJECT_BACK);
        try (Gate gate = Gate.start(folder, Gate.ask(server, ", send_response_body: true"))) {
            HttpResponse<String> response = gate.get("/");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body())
                    .contains("transform_rejected", "\"name\":\"house\"")
                    .doesNotContain("from the origin", "\"rule\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", send_response_body: true"})
    void refusalsOfResponsesNameTheRuleThatMatchedTheRequest(String more) throws Exception {
        String rules = ", rules: [{host: a.test}, {host: localhost}]";
        try (Gate gate = Gate.start(folder, Gate.ask(server, rules + more))) {
            server.responses(question -> REJECT_BACK);
            assertThat(gate.get("/").body()).contains("transform_rejected", RULE);

            server.responses(question -> TransformResponseResponse.getDefaultInstance());
            assertThat(gate.get("/").body()).contains("transform_answer_invalid", RULE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4711})
    void anUnknownActionRefuses(int action) throws Exception {
        server.requests(
                question -> PolicyServer.PASS.toBuilder().setActionValue(action).build());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "action " + action);
        }
    }

    @Test
    void anUnknownActionRefusesAResponse() throws Exception {
        server.responses(question -> TransformResponseResponse.getDefaultInstance());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesResponses(gate, "action 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:b", "a\r\nb", "\u00e4"})
    void aNameThatIsNoneRefuses(String name) throws Exception {
        server.modifying(request -> request.putHeaders(name, lines("value")));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "a header name that is not a token");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX-Smuggled: 1", "a\nb", "\u0000", "\u20ac"})
    void aValueThatCannotBeSentRefuses(String value) throws Exception {
        server.modifying(request -> request.putHeaders("X-Value", lines(value)))
                .modifyingBack(response -> response.putHeaders("X-Value", lines(value)));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "header X-Value: a value with a control or wide character");
            server.requests(question -> PolicyServer.PASS);
        }
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesResponses(gate, "header X-Value: a value with a control or wide character");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "other",
                "http://elsewhere/",
                "//elsewhere/\u20ac",
                "/a b",
                "/a#b",
                "/a\r\nb",
                "/a/../b",
                "/%2e%2e/b"
            })
    void aTargetThatIsNoPlainPathRefuses(String url) throws Exception {
        server.modifying(request -> request.setUrl(url));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "url: ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT", "GE T", "GET\r\n"})
    void aMethodThatIsNoneRefuses(String method) throws Exception {
        server.modifying(request -> request.setMethod(method));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "method: ");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 99, 100, 101, 199, 600, 1000})
    void aStatusThatIsNoneRefuses(int status) throws Exception {
        server.modifyingBack(response -> response.setStatusCode(status));
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesResponses(gate, "status " + status);
        }
        server.requests(question -> REJECT.toBuilder()
                .setResponse(REJECT.getResponse().toBuilder().setStatusCode(status))
                .build());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            refusesRequests(gate, "status " + status);
        }
    }

    private static void refusesRequests(Gate gate, String error) throws Exception {
        assertRefused(gate.get("/"));
        assertThat(gate.forwarded()).isEmpty();
        assertThat(gate.calls("request", "invalid")).isEqualTo(1);
        JsonNode record = gate.records().getFirst();
        assertThat(record.path("request_transforms")
                        .path(0)
                        .path("annotations")
                        .path("error")
                        .asText())
                .startsWith("the answer cannot be used: " + error);
    }

    private static void refusesResponses(Gate gate, String error) throws Exception {
        assertRefused(gate.get("/"));
        JsonNode record = gate.records().getFirst();
        assertThat(record.path("response_transforms")
                        .path(0)
                        .path("annotations")
                        .path("error")
                        .asText())
                .startsWith("the answer cannot be used: " + error);
    }

    private static void assertRefused(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(response.body()).contains("\"transform_answer_invalid\"").doesNotContain("from the origin");
    }

    @Test
    void annotationsReachTheAuditRecordWithinBounds() throws Exception {
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 70; i++) {
            many.put("note-" + i, "value");
        }
        server.requests(question -> PolicyServer.PASS.toBuilder()
                        .putAnnotations("policy", "cards")
                        .putAnnotations("long", "x".repeat(2000))
                        .putAnnotations("k".repeat(65), "left out")
                        .putAnnotations("instance", "a lie")
                        .build())
                .responses(question -> PolicyServer.PASS_BACK.toBuilder()
                        .putAllAnnotations(many)
                        .build());
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            gate.get("/");

            JsonNode record = gate.records().getFirst();
            JsonNode notes = record.path("request_transforms").path(0).path("annotations");
            assertThat(notes.path("policy").asText()).isEqualTo("cards");
            assertThat(notes.path("long").asText()).hasSize(1024);
            assertThat(notes.path("instance").asText()).isEqualTo("house");
            assertThat(notes.path("annotations_cut").asInt()).isEqualTo(2);
            assertThat(notes.path("duration_ms").isNumber()).isTrue();
            JsonNode back = record.path("response_transforms").path(0).path("annotations");
            assertThat(back.path("annotations_cut").asInt()).isEqualTo(6);
            assertThat(back.size()).isEqualTo(64 + 3);
        }
    }

    @Test
    void whereTlsIsPassedThroughOnlyTheHostIsShown() throws Exception {
        server.modifying(request -> request.setUrl("/other").putHeaders("X-New", lines("value")));
        try (Gate gate = Gate.passing(folder, Gate.ask(server, ", send_request_body: true"))) {
            assertThat(gate.get("/").body()).isEqualTo("from the origin");

            assertThat(gate.sent().target()).isEqualTo("/");
            assertThat(server.request().getMethod()).isEmpty();
            assertThat(server.request().getUrl()).isEmpty();
            assertThat(server.request().getHeadersMap()).isEmpty();
            assertThat(server.request().hasBody()).isFalse();
            assertThat(server.request().getHost()).isEqualTo("localhost:" + gate.originPort());
            assertThat(server.requests().getFirst().getContext().getSni()).isEqualTo("localhost");
            gate.client().close();
            JsonNode notes =
                    gate.records().getFirst().path("request_transforms").path(0).path("annotations");
            assertThat(notes.path("modification_ignored").asText()).isEqualTo("host_only");
        }
    }

    @Test
    void whereTlsIsPassedThroughAHostCanBeRejected() throws Exception {
        server.requests(question -> REJECT);
        try (Gate gate = Gate.passing(folder, Gate.ask(server, ""))) {
            assertThatThrownBy(() -> gate.get("/")).isInstanceOf(IOException.class);

            assertThat(gate.forwarded()).isEmpty();
        }
    }
}
