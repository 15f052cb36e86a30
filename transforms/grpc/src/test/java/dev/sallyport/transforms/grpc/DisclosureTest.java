package dev.sallyport.transforms.grpc;

import static dev.sallyport.transforms.grpc.PolicyServer.lines;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sallyport.testkit.CredentialInjector;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DisclosureTest {

    private static final String INJECTOR = "{name: injector, config: {query: true}}";

    @TempDir
    Path folder;

    private final PolicyServer server = PolicyServer.start();

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void credentialsAreMaskedAndKeepTheirRealValue() throws Exception {
        server.modifying(request -> request.putHeaders("X-New", lines("added")));
        try (Gate gate = Gate.start(folder, INJECTOR, Gate.ask(server, ""))) {
            gate.get("/?token=PLACEHOLDER");

            assertThat(server.request().toString()).doesNotContain(CredentialInjector.CREDENTIAL);
            assertThat(server.request().getHeadersOrThrow("X-Key")).isEqualTo(lines("***"));
            assertThat(server.request().getUrl()).isEqualTo("/?token=PLACEHOLDER");
            assertThat(server.responses().getFirst().toString()).doesNotContain(CredentialInjector.CREDENTIAL);
            assertThat(gate.sent().header("X-Key")).isEqualTo(CredentialInjector.CREDENTIAL);
            assertThat(gate.sent().target()).isEqualTo("/?token=" + CredentialInjector.CREDENTIAL);
            assertThat(gate.sent().header("X-New")).isEqualTo("added");
            assertThat(gate.warnings())
                    .singleElement()
                    .asString()
                    .contains(
                            "transforms[1] (grpc) sees requests after transforms[0] (injector) has put credentials in")
                    .contains("they are masked; exchange the two entries");
        }
    }

    @Test
    void aMaskedFieldCanBeAddedToAndReplacedButNotMoved() throws Exception {
        server.modifying(request -> switch (request.getUrl()) {
            case "/add" -> request.putHeaders("X-Key", lines("***", "more"));
            case "/replace" -> request.putHeaders("X-Key", lines("own"));
            case "/remove" -> request.removeHeaders("X-Key").putHeaders("X-New", lines("1"));
            default -> request.putHeaders("X-Key", lines("first", "***"));
        });
        try (Gate gate = Gate.start(folder, INJECTOR, Gate.ask(server, ""))) {
            gate.get("/add");
            gate.get("/replace");
            gate.get("/remove");
            assertThat(gate.get("/move").statusCode()).isEqualTo(503);

            assertThat(gate.forwarded())
                    .extracting(request -> request.headers().all("X-Key"))
                    .containsExactly(List.of(CredentialInjector.CREDENTIAL, "more"), List.of("own"), List.of());
        }
    }

    @Test
    void aBodyIsShownAsItIsBeforeCredentialsAreStreamedIn() throws Exception {
        server.modifying(request ->
                request.getUrl().equals("/replace") ? request.setBody(ByteString.copyFromUtf8("other")) : request);
        String injector = "{name: injector, config: {query: true, body: append}}";
        try (Gate gate = Gate.start(folder, injector, Gate.ask(server, ", send_request_body: true"))) {
            gate.post("/", "{}");
            gate.post("/replace", "{}");

            assertThat(server.requests())
                    .extracting(question -> question.getRequest().getBody().toStringUtf8())
                    .containsExactly("{}", "{}");
            assertThat(gate.forwarded())
                    .extracting(request -> request.body())
                    .containsExactly("{}" + CredentialInjector.CREDENTIAL, "other" + CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void aBodyThatCarriesCredentialsIsWithheldAndCannotBeReplaced() throws Exception {
        server.modifying(request ->
                request.getUrl().equals("/replace") ? request.setBody(ByteString.copyFromUtf8("other")) : request);
        String injector = "{name: injector, config: {query: true, body: replace}}";
        try (Gate gate = Gate.start(folder, injector, Gate.ask(server, ", send_request_body: true"))) {
            gate.post("/", "{}");
            assertThat(gate.post("/replace", "{}").statusCode()).isEqualTo(503);

            assertThat(server.requests())
                    .allSatisfy(question ->
                            assertThat(question.getRequest().hasBody()).isFalse());
            assertThat(gate.sent().body()).isEqualTo(CredentialInjector.CREDENTIAL);
            JsonNode record = gate.records().getFirst();
            assertThat(record.path("request_transforms")
                            .path(1)
                            .path("annotations")
                            .path("body_withheld")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void aWithheldBodyCannotBeReplacedUnseenEither() throws Exception {
        server.modifying(request -> request.setBody(ByteString.copyFromUtf8("other")));
        String injector = "{name: injector, config: {query: true, body: replace}}";
        try (Gate gate = Gate.start(folder, injector, Gate.ask(server, ""))) {
            assertThat(gate.post("/", "{}").statusCode()).isEqualTo(503);

            assertThat(gate.forwarded()).isEmpty();
        }
    }

    @Test
    void credentialsAreShownWhenTheOperatorSaysSo() throws Exception {
        String injector = "{name: injector, config: {query: true, body: append}}";
        try (Gate gate =
                Gate.start(folder, injector, Gate.ask(server, ", send_request_body: true, allow_disclosure: true"))) {
            gate.post("/?token=PLACEHOLDER", "{}");

            assertThat(server.request().getHeadersOrThrow("X-Key")).isEqualTo(lines(CredentialInjector.CREDENTIAL));
            assertThat(server.request().getUrl()).contains(CredentialInjector.CREDENTIAL);
            assertThat(server.request().getBody().toStringUtf8()).isEqualTo("{}" + CredentialInjector.CREDENTIAL);
            assertThat(gate.warnings())
                    .singleElement()
                    .asString()
                    .contains(
                            "transforms[1] (grpc) discloses the credentials that transforms[0] (injector) has put into requests");
        }
    }

    @Test
    void beforeAnInjectorThereIsNothingToWarnOf() throws Exception {
        try (Gate gate = Gate.start(folder, Gate.ask(server, ""), INJECTOR)) {
            gate.get("/?token=PLACEHOLDER");

            assertThat(server.request().getUrl()).isEqualTo("/?token=PLACEHOLDER");
            assertThat(gate.sent().target()).isEqualTo("/?token=" + CredentialInjector.CREDENTIAL);
            assertThat(gate.warnings()).isEmpty();
        }
    }

    /** Sends what it was sent, in each place of a response. */
    private static TestResponse echo(ForwardedRequest request) {
        String credential = String.valueOf(request.header("X-Key"));
        return TestResponse.ok("it was " + credential + ".").header("X-Echo", "got " + credential);
    }

    @Test
    void responsesAreShownWithoutTheCredentialThatWentOut() throws Exception {
        String ask = Gate.ask(server, ", send_response_body: true");
        for (List<String> entries : List.of(List.of(INJECTOR, ask), List.of(ask, INJECTOR))) {
            try (Gate gate = Gate.start(
                    folder, HttpClient.Version.HTTP_1_1, DisclosureTest::echo, entries.toArray(String[]::new))) {
                HttpResponse<String> answer = gate.get("/");

                assertThat(gate.sent().header("X-Key")).isEqualTo(CredentialInjector.CREDENTIAL);
                assertThat(server.responses().toString()).doesNotContain(CredentialInjector.CREDENTIAL);
                assertThat(server.response().getHeadersOrThrow("X-Echo").toString())
                        .contains("got SALLYPORT_REDACTED");
                assertThat(server.response().getBody().toStringUtf8()).isEqualTo("it was SALLYPORT_REDACTED.");
                assertThat(answer.body()).isEqualTo("it was SALLYPORT_REDACTED.");
                assertThat(answer.headers().firstValue("X-Echo")).contains("got SALLYPORT_REDACTED");
            }
        }
    }
}
