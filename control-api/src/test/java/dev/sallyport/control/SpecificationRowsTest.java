package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each row of the tables of the specification that the control plane implements, over HTTP, by its name. */
class SpecificationRowsTest {

    private static final String SECRETS = "/v1/policies/secrets";
    private static final String MCP = "/v1/policies/mcp";

    private final TestControl control = TestControl.shared();
    private final Map<String, Consumer<Api>> rows = new LinkedHashMap<>();

    private static JsonNode secret(Api api, String pointer, String json) {
        Api.Reply reply = api.post(SECRETS, SecretBodies.inject(pointer, json));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.data();
    }

    private static void refused(Api api, String path, String body, String field) {
        Api.Reply reply = api.post(path, body);
        assertThat(reply.error()).as(reply.text()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).contains(field);
    }

    private static JsonNode mcp(Api api, String more) {
        Api.Reply reply = api.post(MCP, "{\"name\": \"m\", \"priority\": 1" + more + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.data();
    }

    private static void kept(JsonNode policy, String pointer, String json) {
        assertThat(policy.at(pointer)).isEqualTo(Api.tree(json));
    }

    private static String without(String field) {
        return ((ObjectNode) Api.tree(SecretBodies.INJECT)).without(field).toString();
    }

    private void row(String name, Consumer<Api> test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private void secretPolicy() {
        String in = "Secret policy: ";
        row(
                in + "id",
                api -> assertThat(secret(api, "/name", "\"a\"").path("id").asText())
                        .matches("spol_[0-9a-z]{26}"));
        row(in + "name", api -> {
            kept(secret(api, "/name", "\"a-1\""), "/name", "\"a-1\"");
            refused(api, SECRETS, SecretBodies.inject("/name", "\"A\""), "name");
            assertThat(api.post(SECRETS, SecretBodies.inject("/name", "\"a-1\""))
                            .error())
                    .isEqualTo("409 secret_policy_name_taken");
        });
        row(in + "active", api -> {
            kept(secret(api, "/name", "\"a\""), "/active", "true");
            assertThat(api.post(SECRETS, SecretBodies.inject("/active", "false"))
                            .data()
                            .path("active"))
                    .isEqualTo(Api.tree("false"));
        });
        row(in + "priority", api -> {
            kept(secret(api, "/priority", "-7"), "/priority", "-7");
            refused(api, SECRETS, without("priority"), "priority");
        });
        row(in + "match_tags", api -> {
            kept(secret(api, "/match_tags", "[\"x\", \"y\"]"), "/match_tags", "[\"x\", \"y\"]");
            kept(secret(api, "/name", "\"b\""), "/match_tags", "[]");
        });
        row(in + "mode", api -> {
            kept(secret(api, "/name", "\"a\""), "/mode", "\"inject\"");
            refused(api, SECRETS, SecretBodies.inject("/mode", "\"both\""), "mode");
        });
        row(
                in + "rules",
                api -> kept(secret(api, "/rules", "[{\"host\": \"a.test\"}]"), "/rules/0/host", "\"a.test\""));
        row(in + "source", api -> {
            kept(secret(api, "/source", "{\"var\": \"X\"}"), "/source/var", "\"X\"");
            refused(api, SECRETS, without("source"), "source");
        });
        row(in + "inject_config", api -> {
            assertThat(secret(api, "/name", "\"a\"").has("replace_config")).isFalse();
            refused(api, SECRETS, without("inject_config"), "inject_config");
        });
        row(in + "replace_config", api -> {
            JsonNode policy = api.post(SECRETS, SecretBodies.REPLACE).data();
            kept(policy, "/replace_config/proxy_value", "\"bot-token\"");
            assertThat(policy.has("inject_config")).isFalse();
        });
        row(in + "created_at", api -> time(secret(api, "/name", "\"a\""), "created_at"));
        row(in + "updated_at", api -> time(secret(api, "/name", "\"a\""), "updated_at"));
    }

    private static void time(JsonNode policy, String member) {
        assertThat(policy.path(member).asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }

    private void fields() {
        String rules = "Rule object: ";
        row(rules + "host", api -> {
            kept(secret(api, "/rules", "[{\"host\": \"*.a.test\"}]"), "/rules/0/host", "\"*.a.test\"");
            refused(api, SECRETS, SecretBodies.inject("/rules", "[{\"host\": \"http://a\"}]"), "rules[0].host");
        });
        row(
                rules + "paths",
                api -> kept(
                        secret(api, "/rules", "[{\"host\": \"a\", \"paths\": [\"/v1/*\"]}]"),
                        "/rules/0/paths",
                        "[\"/v1/*\"]"));
        row(
                rules + "methods",
                api -> kept(
                        secret(api, "/rules", "[{\"host\": \"a\", \"methods\": [\"GET\"]}]"),
                        "/rules/0/methods",
                        "[\"GET\"]"));
        String source = "Source object: ";
        row(source + "type", api -> {
            kept(secret(api, "/source", "{\"var\": \"X\"}"), "/source/type", "\"env\"");
            refused(api, SECRETS, SecretBodies.inject("/source", "{\"type\": \"file\"}"), "source.type");
        });
        row(source + "var", api -> refused(api, SECRETS, SecretBodies.inject("/source", "{}"), "source.var"));
        row(source + "secret_id", api -> {
            kept(
                    secret(api, "/source", "{\"type\": \"cloud_sm\", \"secret_id\": \"s\"}"),
                    "/source/secret_id",
                    "\"s\"");
            refused(api, SECRETS, SecretBodies.inject("/source", "{\"type\": \"cloud_sm\"}"), "source.secret_id");
        });
        row(source + "name", api -> {
            kept(secret(api, "/source", "{\"type\": \"cloud_ssm\", \"name\": \"n\"}"), "/source/name", "\"n\"");
            refused(api, SECRETS, SecretBodies.inject("/source", "{\"type\": \"cloud_ssm\"}"), "source.name");
        });
        row(
                source + "region",
                api -> kept(
                        secret(api, "/source", "{\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"region\": \"eu\"}"),
                        "/source/region",
                        "\"eu\""));
        row(
                source + "json_key",
                api -> kept(
                        secret(api, "/source", "{\"var\": \"X\", \"json_key\": \"k\"}"), "/source/json_key", "\"k\""));
        row(source + "ttl", api -> {
            kept(secret(api, "/source", "{\"var\": \"X\", \"ttl\": \"15m\"}"), "/source/ttl", "\"15m\"");
            refused(api, SECRETS, SecretBodies.inject("/source", "{\"var\": \"X\", \"ttl\": \"15\"}"), "source.ttl");
        });
        row(
                source + "with_decryption",
                api -> kept(
                        secret(api, "/source", "{\"type\": \"cloud_ssm\", \"name\": \"n\", \"with_decryption\": true}"),
                        "/source/with_decryption",
                        "true"));
        String inject = "Inject config (mode inject): ";
        row(inject + "header", api -> {
            kept(secret(api, "/inject_config", "{\"header\": \"X-Key\"}"), "/inject_config/header", "\"X-Key\"");
            refused(
                    api,
                    SECRETS,
                    SecretBodies.inject("/inject_config", "{\"header\": \"X\", \"query_param\": \"y\"}"),
                    "inject_config");
        });
        row(
                inject + "query_param",
                api -> kept(
                        secret(api, "/inject_config", "{\"query_param\": \"k\"}"),
                        "/inject_config/query_param",
                        "\"k\""));
        row(inject + "formatter", api -> {
            String formatter = "\"Basic {{base64 .Value}}\"";
            kept(
                    secret(api, "/inject_config", "{\"header\": \"X\", \"formatter\": " + formatter + "}"),
                    "/inject_config/formatter",
                    formatter);
            refused(
                    api,
                    SECRETS,
                    SecretBodies.inject("/inject_config", "{\"header\": \"X\", \"formatter\": \"{{\"}"),
                    "inject_config.formatter");
        });
        row("Replace config (mode replace): proxy_value", api -> {
            assertThat(api.post(SECRETS, SecretBodies.replace("a%20b-._~")).status())
                    .isEqualTo(201);
            refused(api, SECRETS, SecretBodies.replace("a b"), "replace_config.proxy_value");
        });
    }

    private void mcpPolicy() {
        String in = "MCP policy: ";
        row(in + "id", api -> assertThat(mcp(api, "").path("id").asText()).matches("mpol_[0-9a-z]{26}"));
        row(in + "name", api -> {
            kept(mcp(api, ""), "/name", "\"m\"");
            refused(api, MCP, "{\"name\": \"M\", \"priority\": 1}", "name");
            assertThat(api.post(MCP, "{\"name\": \"m\", \"priority\": 1}").error())
                    .isEqualTo("409 mcp_policy_name_taken");
        });
        row(in + "active", api -> kept(mcp(api, ""), "/active", "true"));
        row(in + "priority", api -> refused(api, MCP, "{\"name\": \"m\"}", "priority"));
        row(in + "match_tags", api -> kept(mcp(api, ", \"match_tags\": [\"x\"]"), "/match_tags", "[\"x\"]"));
        row(in + "rules", api -> kept(mcp(api, ", \"rules\": [{\"host\": \"a\"}]"), "/rules/0/host", "\"a\""));
        row(in + "tools", api -> kept(mcp(api, ", \"tools\": [{\"name\": \"t\"}]"), "/tools/0/name", "\"t\""));
        row(in + "created_at, updated_at", api -> {
            JsonNode policy = mcp(api, "");
            time(policy, "created_at");
            time(policy, "updated_at");
        });
        row(
                "Tool object: name",
                api -> refused(api, MCP, "{\"name\": \"m\", \"priority\": 1, \"tools\": [{}]}", "tools[0].name"));
        row(
                "Tool object: matchers",
                api -> kept(mcp(api, ", \"tools\": [{\"name\": \"t\"}]"), "/tools/0/matchers", "[]"));
        row("Matcher object: path", api -> refusedMatcher(api, "{\"equals\": 1}", ".path"));
        row("Matcher object: equals", api -> matcher(api, "{\"path\": \"a.b\", \"equals\": {\"c\": [null]}}"));
        row("Matcher object: in", api -> matcher(api, "{\"path\": \"a.b\", \"in\": [1, \"x\"]}"));
        row("Matcher object: matches", api -> {
            matcher(api, "{\"path\": \"a.b\", \"matches\": \"^a+$\"}");
            refusedMatcher(api, "{\"path\": \"p\", \"matches\": \"(\"}", ".matches");
        });
    }

    private static String tools(String matcher) {
        return ", \"tools\": [{\"name\": \"t\", \"matchers\": [" + matcher + "]}]";
    }

    private static void matcher(Api api, String matcher) {
        kept(mcp(api, tools(matcher)), "/tools/0/matchers/0", matcher);
    }

    private static void refusedMatcher(Api api, String matcher, String member) {
        refused(api, MCP, "{\"name\": \"n\", \"priority\": 1" + tools(matcher) + "}", "tools[0].matchers[0]" + member);
    }

    private static String path(String collection, JsonNode policy) {
        return collection + "/" + policy.path("id").asText();
    }

    private void states() {
        String in = "States and transitions: ";
        row(in + "none | POST create | valid body", api -> {
            JsonNode policy = secret(api, "/replace_config", "{\"proxy_value\": \"x\"}");
            kept(policy, "/active", "true");
            assertThat(policy.has("replace_config")).isFalse();
        });
        row(in + "any secret policy | PUT | mode changed and the matching config block supplied", api -> {
            String path = path(SECRETS, secret(api, "/name", "\"telegram\""));
            JsonNode changed = api.put(path, SecretBodies.REPLACE).data();
            kept(changed, "/mode", "\"replace\"");
            assertThat(changed.has("inject_config")).isFalse();
        });
        row(
                in + "active true | PUT | active false",
                api -> kept(
                        api.put(path(SECRETS, secret(api, "/active", "true")), SecretBodies.inject("/active", "false"))
                                .data(),
                        "/active",
                        "false"));
        row(
                in + "active false | PUT | active true",
                api -> kept(
                        api.put(path(SECRETS, secret(api, "/active", "false")), SecretBodies.inject("/active", "true"))
                                .data(),
                        "/active",
                        "true"));
        row(in + "any | DELETE | policy exists", api -> {
            assertThat(api.delete(path(SECRETS, secret(api, "/active", "true"))).status())
                    .isEqualTo(204);
            assertThat(api.delete(path(MCP, mcp(api, ""))).status()).isEqualTo(204);
        });
    }

    private void endpoints(String heading, String collection, String body, String unknown) {
        String in = heading + ": ";
        String one = collection + "/{policy_id}";
        row(in + "GET | " + collection, api -> {
            api.post(collection, body);
            String name = Api.tree(body).path("name").asText();
            assertThat(api.get(collection + "?active=true&name=" + name).data()).hasSize(1);
            assertThat(api.get(collection + "?active=false").data()).isEmpty();
        });
        row(
                in + "POST | " + collection,
                api -> assertThat(api.post(collection, body).status()).isEqualTo(201));
        row(in + "GET | " + one, api -> {
            JsonNode made = api.post(collection, body).data();
            assertThat(api.get(path(collection, made)).data()).isEqualTo(made);
            assertThat(api.get(collection + "/x").error()).isEqualTo("404 " + unknown);
        });
        row(in + "PUT | " + one, api -> {
            JsonNode made = api.post(collection, body).data();
            assertThat(api.put(path(collection, made), made.toString()).status())
                    .isEqualTo(200);
        });
        row(in + "DELETE | " + one, api -> {
            JsonNode made = api.post(collection, body).data();
            assertThat(api.delete(path(collection, made)).status()).isEqualTo(204);
        });
    }

    private void bodyOfCreate() {
        for (String field : List.of("name", "priority", "mode", "source", "inject_config")) {
            row("Secret policies: " + field, api -> refused(api, SECRETS, without(field), field));
        }
        row(
                "Secret policies: replace_config",
                api -> refused(api, SECRETS, SecretBodies.inject("/mode", "\"replace\""), "replace_config"));
        for (String field : List.of("active", "match_tags", "rules")) {
            row(
                    "Secret policies: " + field,
                    api -> assertThat(api.post(SECRETS, without(field)).status())
                            .isEqualTo(201));
        }
    }

    private void errorsAndLimits() {
        row(
                "Errors: 404 | secret_policy_not_found",
                api -> assertThat(api.get(SECRETS + "/x").error()).isEqualTo("404 secret_policy_not_found"));
        row(
                "Errors: 404 | mcp_policy_not_found",
                api -> assertThat(api.get(MCP + "/x").error()).isEqualTo("404 mcp_policy_not_found"));
        row(
                "Errors: 422 | validation_error",
                api -> refusedMatcher(api, "{\"path\": \"p\", \"equals\": 1, \"in\": [1]}", ""));
        row("Limits: name pattern", api -> refused(api, SECRETS, SecretBodies.inject("/name", "\"a--b\""), "name"));
        row("Limits: priority", api -> {
            refused(api, SECRETS, without("priority"), "priority");
            Api.Reply put = api.put(path(SECRETS, secret(api, "/active", "true")), without("priority"));
            assertThat(put.fields()).containsExactly("priority");
        });
        row(
                "Limits: source ttl format",
                api -> refused(
                        api,
                        SECRETS,
                        SecretBodies.inject("/source", "{\"var\": \"X\", \"ttl\": \"1d\"}"),
                        "source.ttl"));
    }

    private static final List<String> POLICY_HEADINGS = List.of(
            "Secret policy",
            "Rule object",
            "Source object",
            "Inject config (mode `inject`)",
            "Replace config (mode `replace`)",
            "MCP policy",
            "Tool object",
            "Matcher object",
            "States and transitions",
            "Secret policies",
            "MCP policies",
            "Errors",
            "Limits");

    private Map<String, Consumer<Api>> policyRows() {
        rows.clear();
        secretPolicy();
        fields();
        mcpPolicy();
        states();
        endpoints("Secret policies", SECRETS, SecretBodies.INJECT, "secret_policy_not_found");
        endpoints("MCP policies", MCP, "{\"name\": \"m\", \"priority\": 1}", "mcp_policy_not_found");
        bodyOfCreate();
        errorsAndLimits();
        return rows;
    }

    @Test
    void everyRowOfThePolicyApiHasATest() throws IOException {
        assertThat(policyRows().keySet())
                .containsExactlyInAnyOrderElementsOf(SpecificationTables.rows("policy-api", POLICY_HEADINGS).stream()
                        .map(row -> row.replace("`", ""))
                        .toList());
    }

    @TestFactory
    Stream<DynamicTest> policyApi() {
        return policyRows().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().accept(control.newAccount())));
    }

    private static final List<String> USER_HEADINGS = List.of("Users and sign-in", "Device authorization");

    private Map<String, Consumer<Api>> userRows() {
        rows.clear();
        row("Users and sign-in: POST | /v1/users", api -> {
            JsonNode me = api.get("/v1/me").json();
            assertThat(me.path("user").has("email_verified")).isTrue();
        });
        row("Users and sign-in: POST | /v1/auth/device/code", api -> {
            JsonNode code =
                    control.anonymous().post("/v1/auth/device/code", null).data();
            assertThat(code.propertyStream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("code", "verification_uri", "expires_at");
        });
        row(
                "Users and sign-in: GET | /v1/auth/device/poll",
                api -> assertThat(poll(code())).isEqualTo(Api.tree("{\"status\": \"pending\"}")));
        row("Device authorization: pending | user authorizes the code | authorized (response carries token)", api -> {
            String code = code();
            api.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}");
            assertThat(poll(code).path("status").asText()).isEqualTo("authorized");
            assertThat(poll(code).path("token").asText()).startsWith("sp_live_");
        });
        row("Device authorization: pending | code expires | expired (a new code must be requested)", api -> {
            String code = code();
            control.clock().advance(Duration.ofMinutes(10).plusSeconds(1));
            assertThat(poll(code)).isEqualTo(Api.tree("{\"status\": \"expired\"}"));
        });
        return rows;
    }

    private String code() {
        return control.anonymous()
                .post("/v1/auth/device/code", null)
                .data()
                .path("code")
                .asText();
    }

    private JsonNode poll(String code) {
        return control.anonymous().get("/v1/auth/device/poll?code=" + code).data();
    }

    @Test
    void everyRowOfUsersAndSignInHasATest() throws IOException {
        assertThat(userRows().keySet())
                .containsExactlyInAnyOrderElementsOf(SpecificationTables.rows("resource-api", USER_HEADINGS).stream()
                        .map(row -> row.replaceFirst(" \\|$", ""))
                        .toList());
    }

    @TestFactory
    Stream<DynamicTest> usersAndSignIn() {
        return userRows().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().accept(control.newAccount())));
    }
}
