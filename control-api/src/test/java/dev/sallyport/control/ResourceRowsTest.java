package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each row of the tables on egress, secrets, environment variables and their audit, over HTTP, by its name. */
class ResourceRowsTest {

    private static final String RULES = "/v1/egress/rules";
    private static final String SECRETS = "/v1/secrets";
    private static final String SECRET = "{\"name\": \"a\", \"secret\": \"value\", \"env_var\": \"A\"}";

    /** The tables of these alone. */
    private static final List<String> WHOLE =
            List.of("Egress policy, rules, audit", "Secrets", "Environment variables");

    /** Of tables on everything, the rows on these. */
    private static final List<String> PARTS = List.of(
            "Resources and their fields: Egress policy",
            "Resources and their fields: Egress rule",
            "Resources and their fields: Egress audit event",
            "Resources and their fields: Secret",
            "Resources and their fields: Environment variable",
            "Errors: secret_name_taken",
            "Errors: env_var_taken",
            "Errors: env_not_found",
            "Errors: validation_error",
            "Limits: Egress rule list page",
            "Limits: Audit list page",
            "Limits: Secret list page",
            "Limits: Environment variable list page",
            "Limits: Secret name",
            "Limits: Secret hosts wildcard");

    private final TestControl control = TestControl.shared();
    private final Map<String, Consumer<Api>> rows = new LinkedHashMap<>();

    private void row(String name, Consumer<Api> test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private static JsonNode made(Api api, String path, String body) {
        Api.Reply reply = api.post(path, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json();
    }

    private static String with(String field, String json) {
        return Api.with(SECRET, field, json);
    }

    private static void refused(Api.Reply reply, String field) {
        assertThat(reply.error()).as(reply.text()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).contains(field);
    }

    private static List<String> keys(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    private static void pages(Api api, String path, int most) {
        assertThat(api.get(path + "?limit=" + most).status()).isEqualTo(200);
        refused(api.get(path + "?limit=" + (most + 1)), "limit");
        refused(api.get(path + "?limit=0"), "limit");
    }

    private void fields() {
        String in = "Resources and their fields: ";
        row(
                in + "Egress policy",
                api -> assertThat(keys(api.get("/v1/egress/policy").json())).containsExactly("mode"));
        row(
                in + "Egress rule",
                api -> assertThat(keys(made(api, RULES, "{\"host\": \"a.test\"}")))
                        .containsExactly("id", "name", "host", "cidr", "comment", "created_at"));
        row(in + "Egress audit event", api -> {
            EgressEvents.arrive(control, api, "a.test");
            assertThat(keys(api.get("/v1/audit/egress").data().get(0)))
                    .containsExactly(
                            "id",
                            "timestamp",
                            "vm_id",
                            "host",
                            "cidr",
                            "protocol",
                            "verdict",
                            "allowed",
                            "mode",
                            "dial", // ours
                            "replacements");
        });
        row(
                in + "Secret",
                api -> assertThat(keys(made(api, SECRETS, SECRET)))
                        .containsExactly(
                                "id",
                                "name",
                                "env_var",
                                "hosts",
                                "proxy_value",
                                "comment",
                                "allow_plaintext", // ours
                                "created_at",
                                "updated_at"));
        row(
                in + "Environment variable",
                api -> assertThat(
                                keys(api.put("/v1/env/A", "{\"value\": \"v\"}").json()))
                        .containsExactly("id", "key", "value", "created_at", "updated_at"));
    }

    private void egress() {
        String in = "Egress policy, rules, audit: ";
        row(
                in + "GET | /v1/egress/policy",
                api -> assertThat(
                                api.get("/v1/egress/policy").json().path("mode").asText())
                        .isEqualTo("enforce"));
        row(in + "PUT | /v1/egress/policy", api -> {
            assertThat(api.put("/v1/egress/policy", "{\"mode\": \"warn\"}").json())
                    .isEqualTo(Api.tree("{\"mode\": \"warn\"}"));
            refused(api.put("/v1/egress/policy", "{}"), "mode");
        });
        row(in + "GET | /v1/egress/rules", api -> {
            made(api, RULES, "{\"host\": \"a.test\", \"name\": \"n\"}");
            made(api, RULES, "{\"cidr\": \"10.0.0.0/8\"}");
            for (String query : List.of("host=a.test", "name=n", "cidr=10.0.0.0/8", "limit=1")) {
                assertThat(api.get(RULES + "?" + query).data()).as(query).hasSize(1);
            }
            assertThat(api.get(RULES + "?sort=host").data().get(0).path("host").asText())
                    .isEqualTo("a.test");
            assertThat(api.get(RULES).data().get(0).path("cidr").asText()).isEqualTo("10.0.0.0/8");
        });
        row(in + "POST | /v1/egress/rules", api -> {
            made(api, RULES, "{\"name\": \"n\", \"host\": \"*.a.test\", \"comment\": \"c\"}");
            assertThat(api.post(RULES, "{\"name\": \"n\", \"host\": \"b.test\"}")
                            .status())
                    .isEqualTo(409);
            assertThat(api.post(RULES, "{\"host\": \"a.test\", \"cidr\": \"10.0.0.0/8\"}")
                            .status())
                    .isEqualTo(422);
        });
        row(in + "DELETE | /v1/egress/rules/{rule_id}", api -> {
            String id = made(api, RULES, "{\"host\": \"a.test\"}").path("id").asText();
            assertThat(api.delete(RULES + "/" + id).status()).isEqualTo(204);
            assertThat(api.get(RULES).data()).isEmpty();
        });
        row(in + "GET | /v1/audit/egress", api -> {
            EgressEvents.arrive(control, api, "a.test");
            EgressEvents.arrive(control, api, "b.test");
            JsonNode page = api.get("/v1/audit/egress?verdict=allowed&allowed=true&mode=enforce&protocol=tls&limit=1")
                    .json();
            assertThat(page.at("/data/0/id").asText()).matches("ee_[0-9a-z]{26}");
            assertThat(page.path("cursor")).isEqualTo(page.at("/data/0/id"));
            assertThat(api.get("/v1/audit/egress?order=asc&host=b.test").data()).hasSize(1);
            assertThat(api.get("/v1/audit/egress?vm_id=vm_x").data()).isEmpty();
            assertThat(api.get("/v1/audit/egress?cidr=10.0.0.0/8").data()).isEmpty();
            assertThat(api.get("/v1/audit/egress?since=2200-01-01T00:00:00Z").data())
                    .isEmpty();
            assertThat(api.get("/v1/audit/egress?until=2000-01-01T00:00:00Z").data())
                    .isEmpty();
        });
    }

    private void secrets() {
        String in = "Secrets: ";
        row(
                in + "POST | /v1/secrets",
                api -> assertThat(made(api, SECRETS, SECRET).has("secret")).isFalse());
        row(in + "GET | /v1/secrets", api -> {
            made(api, SECRETS, SECRET);
            made(api, SECRETS, with("name", "\"b\"").replace("\"A\"", "\"B\""));
            assertThat(api.get(SECRETS + "?name=a").data()).hasSize(1);
            assertThat(api.get(SECRETS).data().findValuesAsText("name")).containsExactly("b", "a");
            assertThat(api.get(SECRETS + "?order=asc").data().findValuesAsText("name"))
                    .containsExactly("a", "b");
            assertThat(api.get(SECRETS + "?sort=name").data().findValuesAsText("name"))
                    .containsExactly("b", "a");
            assertThat(api.get(SECRETS + "?sort=name&order=asc").data().findValuesAsText("name"))
                    .containsExactly("a", "b");
        });
        row(in + "GET | /v1/secrets/{secret_id}", api -> {
            JsonNode secret = made(api, SECRETS, SECRET);
            assertThat(api.get(SECRETS + "/" + secret.path("id").asText()).json())
                    .isEqualTo(secret);
            assertThat(api.get(SECRETS + "/x").error()).isEqualTo("404 secret_not_found");
        });
        row(in + "PATCH | /v1/secrets/{secret_id}", api -> {
            String path = SECRETS + "/" + made(api, SECRETS, SECRET).path("id").asText();
            JsonNode changed = api.patch(path, "{\"secret\": \"new\", \"hosts\": [\"a.test\"], \"comment\": \"c\"}")
                    .json();
            assertThat(changed.path("hosts")).isEqualTo(Api.tree("[\"a.test\"]"));
            assertThat(changed.path("env_var").asText()).isEqualTo("A");
            assertThat(changed.has("secret")).isFalse();
            refused(api.patch(path, "{\"name\": \"b\"}"), "name");
        });
        row(in + "DELETE | /v1/secrets/{secret_id}", api -> {
            String path = SECRETS + "/" + made(api, SECRETS, SECRET).path("id").asText();
            assertThat(api.delete(path).status()).isEqualTo(204);
            assertThat(api.get(path).status()).isEqualTo(404);
        });
        row(in + "name", api -> {
            refused(api.post(SECRETS, with("name", "\"a b\"")), "name");
            refused(api.post(SECRETS, with("name", "null")), "name");
        });
        row(in + "secret", api -> refused(api.post(SECRETS, with("secret", "\"\"")), "secret"));
        row(in + "env_var", api -> refused(api.post(SECRETS, with("env_var", "\"a\"")), "env_var"));
        row(
                in + "hosts",
                api -> assertThat(made(api, SECRETS, SECRET).path("hosts")).isEqualTo(Api.tree("[\"*\"]")));
        row(
                in + "comment",
                api -> assertThat(made(api, SECRETS, with("comment", "\"c\""))
                                .path("comment")
                                .asText())
                        .isEqualTo("c"));
    }

    private void environment() {
        String in = "Environment variables: ";
        row(in + "GET | /v1/env", api -> {
            api.put("/v1/env/A", "{\"value\": \"v\"}");
            assertThat(api.get("/v1/env").data().findValuesAsText("key")).containsExactly("A");
        });
        row(
                in + "GET | /v1/env/{key}",
                api -> assertThat(api.get("/v1/env/A").error()).isEqualTo("404 env_not_found"));
        row(in + "PUT | /v1/env/{key}", api -> {
            api.put("/v1/env/A", "{\"value\": \"v\"}");
            assertThat(api.put("/v1/env/A", "{\"value\": \"w\"}")
                            .json()
                            .path("value")
                            .asText())
                    .isEqualTo("w");
            refused(api.put("/v1/env/A", "{}"), "value");
        });
        row(in + "DELETE | /v1/env/{key}", api -> {
            assertThat(api.delete("/v1/env/A").error()).isEqualTo("404 env_not_found");
            api.put("/v1/env/A", "{\"value\": \"v\"}");
            assertThat(api.delete("/v1/env/A").status()).isEqualTo(204);
        });
    }

    private void errorsAndLimits() {
        row("Errors: secret_name_taken", api -> {
            made(api, SECRETS, SECRET);
            assertThat(api.post(SECRETS, SECRET).error()).isEqualTo("409 secret_name_taken");
        });
        row("Errors: env_var_taken", api -> {
            made(api, SECRETS, SECRET);
            assertThat(api.post(SECRETS, with("name", "\"b\"")).error()).isEqualTo("409 env_var_taken");
        });
        row(
                "Errors: env_not_found",
                api -> assertThat(api.get("/v1/env/A").error()).isEqualTo("404 env_not_found"));
        row("Errors: validation_error", api -> {
            refused(api.post(SECRETS, with("hosts", "[\"a:1\"]")), "hosts[0]");
            refused(api.put("/v1/env/1", "{\"value\": \"v\"}"), "key");
        });
        row("Limits: Egress rule list page", api -> pages(api, RULES, 200));
        row("Limits: Audit list page", api -> pages(api, "/v1/audit/egress", 500));
        row("Limits: Secret list page", api -> pages(api, SECRETS, 200));
        row("Limits: Environment variable list page", api -> pages(api, "/v1/env", 200));
        row("Limits: Secret name", api -> {
            made(api, SECRETS, with("name", "\"" + "n".repeat(64) + "\""));
            refused(api.post(SECRETS, with("name", "\"" + "n".repeat(65) + "\"")), "name");
        });
        row("Limits: Secret hosts wildcard", api -> {
            made(api, SECRETS, with("hosts", "[\"*.example.com\"]"));
            refused(api.post(SECRETS, with("hosts", "[\"*.*.example.com\"]")), "hosts[0]");
        });
    }

    private Map<String, Consumer<Api>> all() {
        rows.clear();
        fields();
        egress();
        secrets();
        environment();
        errorsAndLimits();
        return rows;
    }

    @Test
    void everyRowHasATest() throws IOException {
        List<String> headings = new ArrayList<>(WHOLE);
        headings.addAll(List.of("Resources and their fields", "Errors", "Limits"));
        List<String> expected = SpecificationTables.rows("resource-api", headings).stream()
                .map(row -> row.replaceFirst(" \\|$", ""))
                .filter(row -> PARTS.contains(row) || WHOLE.contains(row.replaceFirst(": .*", "")))
                .toList();

        assertThat(expected).containsAll(PARTS);
        assertThat(all().keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @TestFactory
    Stream<DynamicTest> rows() {
        return all().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().accept(control.newAccount())));
    }
}
