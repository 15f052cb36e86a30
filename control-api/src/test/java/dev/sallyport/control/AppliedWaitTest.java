package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 16: {@code ?wait=applied&timeout=5s}; with proxies, module {@code it} tests it. */
class AppliedWaitTest {

    private static final String POLICIES = "/v1/policies/network";
    private static final String BODY = "{\"name\": \"a\", \"priority\": 1}";

    private final Api api = TestControl.shared().newAccount();

    @Test
    void withoutConnectedProxiesAChangeIsApplied() {
        Api.Reply made = api.post(POLICIES + "?wait=applied", BODY);

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.header("Sallyport-Applied")).isEqualTo("true");
        String path = POLICIES + "/" + made.data().path("id").asText();
        assertThat(api.put(path + "?wait=applied&timeout=500ms", BODY).header("Sallyport-Applied"))
                .isEqualTo("true");
        assertThat(api.delete(path + "?wait=applied&timeout=30s").header("Sallyport-Applied"))
                .isEqualTo("true");
    }

    @Test
    void withoutTheQueryNothingIsSaidOfIt() {
        assertThat(api.post(POLICIES, BODY).header("Sallyport-Applied")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"wait=sent", "wait=applied&timeout=31s", "wait=applied&timeout=5", "wait=applied&wait=applied"})
    void whatIsWrongIs422AndChangesNothing(String query) {
        assertThat(api.post(POLICIES + "?" + query, BODY).error()).isEqualTo("422 validation_error");
        assertThat(api.get(POLICIES).data()).isEmpty();
    }

    /** Whoever has no key waits for nobody: a sign-up has no wait. */
    @Test
    void eachChangeWithAKeyHasItAndNothingElse() {
        List<String> changes = new ArrayList<>();
        List<String> waits = new ArrayList<>();
        List<String> tells = new ArrayList<>();
        TestControl.shared().contract().operations().forEach(operation -> {
            String name = operation.method() + " " + operation.path();
            JsonNode headers = headers(operation.description());
            if (headers.has("Sallyport-Revision") && !name.equals("POST /v1/users")) {
                changes.add(name);
            }
            if (headers.has("Sallyport-Applied")) {
                tells.add(name);
            }
            List<String> parameters = operation.description().path("parameters").findValuesAsText("name");
            if (parameters.contains("wait") && parameters.contains("timeout")) {
                waits.add(name);
            }
        });

        assertThat(changes).hasSizeGreaterThan(30);
        assertThat(waits).isEqualTo(changes);
        assertThat(tells).isEqualTo(changes);
    }

    private static JsonNode headers(JsonNode operation) {
        for (String status : List.of("200", "201", "204")) {
            JsonNode success = operation.path("responses").path(status);
            if (!success.isMissingNode()) {
                return success.path("headers");
            }
        }
        throw new AssertionError("no success: " + operation);
    }

    /** A change of the kinds that reach no proxy, or not at once. */
    private record Change(
            String method, String path, @Nullable String body) {}

    private List<Change> changes() {
        String vms = Sandbox.PATH;
        Sandbox stopped = Sandbox.stopped(api, "stopped");
        Sandbox ready = Sandbox.ready(api, "ready");
        String snapshot = ready.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(api, snapshot, "ready");
        String code = TestControl.shared()
                .anonymous()
                .post("/v1/auth/device/code", null)
                .data()
                .path("code")
                .asText();
        return List.of(
                new Change("PUT", "/v1/env/A", "{\"value\": \"one\"}"),
                new Change("DELETE", "/v1/env/A", null),
                new Change("POST", "/v1/api-keys", "{\"name\": \"k\"}"),
                new Change("DELETE", "/v1/api-keys/" + id("/v1/api-keys", "{\"name\": \"old\"}"), null),
                new Change("POST", "/v1/auth/device/approve", "{\"code\": \"" + code + "\"}"),
                new Change("POST", "/v1/proxies", "{\"name\": \"p\"}"),
                new Change("DELETE", "/v1/proxies/" + id("/v1/proxies", "{\"name\": \"old\"}"), null),
                new Change("POST", "/v1/workloads", "{\"name\": \"w\"}"),
                new Change("DELETE", "/v1/workloads/" + id("/v1/workloads", "{\"name\": \"old\"}"), null),
                new Change("POST", ready.path() + "/snapshots", null),
                new Change("DELETE", "/v1/snapshots/" + snapshot, null),
                new Change("POST", vms, Sandbox.body("made")),
                new Change("POST", stopped.path() + "/start", null),
                new Change("POST", stopped.path() + "/stop", null),
                new Change("DELETE", stopped.path(), null),
                new Change("POST", Agent.PATH, Agent.body("made")),
                new Change("DELETE", Agent.asked(api, Agent.body("old")).path(), null));
    }

    private String id(String path, String body) {
        JsonNode made = api.post(path, body).json();
        return (made.has("data") ? made.path("data") : made).path("id").asText();
    }

    @Test
    void eachOfTheOthersIsAppliedSoonAndSaysWithWhichNumber() {
        for (Change change : changes()) {
            Api.Reply reply = api.send(change.method(), change.path() + "?wait=applied&timeout=30s", change.body());

            String what = change + ": " + reply.status() + " " + reply.text();
            assertThat(reply.status()).as(what).isBetween(200, 204);
            assertThat(reply.header("Sallyport-Applied")).as(what).isEqualTo("true");
            assertThat(reply.header("Sallyport-Revision")).as(what).matches("[1-9][0-9]*");
        }
    }

    /** 404 comes before 422, and 422 before anything is done. */
    @Test
    void whatIsWrongIsRefusedByAllOfThem() {
        for (Change change : changes()) {
            boolean ofVariable =
                    change.path().equals("/v1/env/A") && change.method().equals("DELETE");
            if (ofVariable) {
                assertThat(api.delete("/v1/env/A?wait=sent").error()).isEqualTo("404 env_not_found");
                api.put("/v1/env/A", "{\"value\": \"one\"}");
            }
            for (String query : List.of("wait=sent", "wait=applied&wait=applied", "wait=")) {
                assertThat(api.send(change.method(), change.path() + "?" + query, change.body())
                                .fields())
                        .as(change + " " + query)
                        .containsExactly("wait");
            }
            assertThat(api.send(change.method(), change.path() + "?wait=applied&timeout=31s", change.body())
                            .fields())
                    .as("%s", change)
                    .containsExactly("timeout");
            if (change.method().equals("DELETE")) {
                String collection = change.path().replaceAll("/[^/]+$", "/none");
                assertThat(api.delete(collection + "?wait=sent").status())
                        .as("%s", change)
                        .isEqualTo(404);
            }
        }
        assertThat(api.get("/v1/vms?status=destroyed").data()).isEmpty();
        assertThat(api.get("/v1/api-keys").data()).hasSize(2);
    }
}
