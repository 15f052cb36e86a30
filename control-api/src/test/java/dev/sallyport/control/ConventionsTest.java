package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/resource-api.md, section "What the service does", and docs/spec/decisions.md, section 15a: conventions. */
class ConventionsTest {

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();

    /** What has a list; NAME stands for the name of one. */
    enum Resource {
        API_KEY("/v1/api-keys", "key_", "{\"name\": \"NAME\"}"),
        EGRESS_RULE("/v1/egress/rules", "egr_", "{\"name\": \"NAME\", \"host\": \"NAME.test\"}"),
        EGRESS_EVENT("/v1/audit/egress", "ee_", ""),
        CHANGE("/v1/audit/admin", "aud_", ""),
        SECRET("/v1/secrets", "sec_", "{\"name\": \"NAME\", \"secret\": \"s\", \"env_var\": \"V_NAME\"}"),
        VARIABLE("/v1/env", "env_", "{\"value\": \"v\"}"),
        VM("/v1/vms", "vm_", Sandbox.body("NAME")),
        AGENT("/v1/agents", "agt_", Agent.body("NAME")),
        WORKLOAD("/v1/workloads", "wl_", "{\"name\": \"NAME\"}"),
        SECRET_POLICY("/v1/policies/secrets", "spol_", SecretBodies.INJECT.replace("github", "NAME")),
        MCP_POLICY("/v1/policies/mcp", "mpol_", "{\"name\": \"NAME\", \"priority\": 1}"),
        NETWORK_POLICY("/v1/policies/network", "npol_", "{\"name\": \"NAME\", \"priority\": 1}"),
        PROXY("/v1/proxies", "prx_", "{\"name\": \"NAME\"}");

        private final String path;
        private final String prefix;
        private final String body;

        Resource(String path, String prefix, String body) {
            this.path = path;
            this.prefix = prefix;
            this.body = body;
        }

        /** Lists of policies and proxies are whole. */
        boolean isPaged() {
            return !path.startsWith("/v1/policies/") && this != PROXY;
        }
    }

    private void make(Resource resource, String name) {
        String body = resource.body.replace("V_NAME", "V" + name).replace("NAME", "n" + name);
        Api.Reply reply = switch (resource) {
            case VARIABLE -> api.put("/v1/env/N" + name, body);
            case CHANGE -> api.put("/v1/egress/policy", "{\"mode\": \"warn\"}");
            case EGRESS_EVENT -> {
                EgressEvents.arrive(control, api, "n" + name + ".test");
                yield api.get("/v1/me");
            }
            default -> api.post(resource.path, body);
        };
        assertThat(reply.status()).as(reply.text()).isIn(200, 201);
    }

    private List<JsonNode> made(Resource resource) {
        for (String name : List.of("1", "2", "3")) {
            make(resource, name);
        }
        List<JsonNode> all = new ArrayList<>();
        api.get(resource.path).data().forEach(all::add);
        assertThat(all).hasSizeGreaterThanOrEqualTo(3);
        return all;
    }

    private static List<String> ids(Iterable<JsonNode> items) {
        List<String> ids = new ArrayList<>();
        items.forEach(item -> ids.add(item.path("id").asText()));
        return ids;
    }

    /** {data: [...], has_more: boolean, cursor: string or null}; the cursor leads to the next page. */
    @ParameterizedTest
    @EnumSource
    void everyListHasTheEnvelopeAndItsPagesAreTheWhole(Resource resource) {
        List<String> whole = ids(made(resource));
        List<String> paged = new ArrayList<>();
        int pages = 0;
        for (String cursor = ""; cursor != null; pages++) {
            JsonNode page = api.get(resource.path + "?limit=2" + cursor).json();
            assertThat(page.propertyStream().map(Map.Entry::getKey)).containsExactly("data", "has_more", "cursor");
            assertThat(page.path("data").isArray()).isTrue();
            assertThat(page.path("has_more").isBoolean()).isTrue();
            assertThat(page.path("cursor").isTextual())
                    .isEqualTo(page.path("has_more").asBoolean());
            paged.addAll(ids(page.path("data")));
            cursor = page.path("cursor").isNull()
                    ? null
                    : "&cursor=" + page.path("cursor").asText();
        }

        assertThat(paged).isEqualTo(whole);
        assertThat(pages).isEqualTo(resource.isPaged() ? (whole.size() + 1) / 2 : 1);
    }

    /** Identifiers are opaque and prefixed, and ordered by time. */
    @ParameterizedTest
    @EnumSource
    void everyIdentifierHasItsPrefixAndLaterOnesAreGreater(Resource resource) {
        List<String> ids = ids(made(resource));

        assertThat(ids).allMatch(id -> id.matches(resource.prefix + "[0-9a-z]{26}"));
        assertThat(resource.isPaged() ? ids.reversed() : ids).isSorted();
    }

    @ParameterizedTest
    @EnumSource
    void everyTimeIsInUtcWithMilliseconds(Resource resource) {
        for (JsonNode item : made(resource)) {
            List<Map.Entry<String, JsonNode>> times = item.propertyStream()
                    .filter(member -> member.getKey().matches(".*_at|timestamp"))
                    .filter(member -> !member.getValue().isNull())
                    .toList();

            assertThat(times)
                    .isNotEmpty()
                    .allSatisfy(time -> assertThat(time.getValue().asText())
                            .as(time.getKey())
                            .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"));
        }
    }

    /** Cursors are bound to sort, order and filters, and to their list. */
    @ParameterizedTest
    @CsvSource({
        "WORKLOAD,'',order=asc",
        "WORKLOAD,'',name=n1",
        "AGENT,'',status=provisioning",
        "API_KEY,'',name=default"
    })
    void aCursorIsOfOneSortOrderAndFilter(Resource resource, String one, String other) {
        made(resource);
        String cursor = "&cursor="
                + api.get(resource.path + "?limit=1&" + one)
                        .json()
                        .path("cursor")
                        .asText();

        assertThat(api.get(resource.path + "?" + one + cursor).status()).isEqualTo(200);
        assertThat(api.get(resource.path + "?limit=7&" + one + cursor).status())
                .as("the size of a page may change")
                .isEqualTo(200);
        Api.Reply refused = api.get(resource.path + "?" + other + cursor);
        assertThat(refused.error()).isEqualTo("422 validation_error");
        assertThat(refused.fields()).containsExactly("cursor");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/vms", "/v1/agents", "/v1/api-keys", "/v1/workloads"})
    void aCursorOfAnotherListIsUnknown(String list) {
        made(Resource.VARIABLE);
        String cursor = api.get("/v1/env?limit=1").json().path("cursor").asText();

        assertThat(api.get(list + "?cursor=" + cursor).fields()).containsExactly("cursor");
    }

    /** Cursors of audit are identifiers: any well-formed one is a position, whether its row exists or not. */
    @ParameterizedTest
    @CsvSource({"EGRESS_EVENT", "CHANGE"})
    void anyWellFormedCursorOfAnAuditIsAPosition(Resource resource) {
        int all = made(resource).size();
        String first = resource.path + "?cursor=" + resource.prefix + "0".repeat(26);

        assertThat(api.get(first).data()).isEmpty();
        assertThat(api.get(first + "&order=asc").data()).hasSize(all);
        assertThat(api.get(resource.path + "?cursor=vm_" + "0".repeat(26)).fields())
                .containsExactly("cursor");
    }

    /** A body where none is specified is ignored. */
    @ParameterizedTest
    @EnumSource(names = {"API_KEY", "EGRESS_RULE", "SECRET", "WORKLOAD", "SECRET_POLICY", "MCP_POLICY", "PROXY"})
    void aBodyOfADeletionIsIgnored(Resource resource) {
        make(resource, "1");
        String path =
                resource.path + "/" + api.get(resource.path).data().at("/0/id").asText();

        Api.Reply reply = api.withHeader("Content-Type", "text/plain").send("DELETE", path, "{");

        assertThat(reply.status()).as(reply.text()).isEqualTo(204);
    }

    /** The filter of a name is exact: the empty text is the name of nothing. */
    @ParameterizedTest
    @EnumSource(names = {"API_KEY", "EGRESS_RULE", "SECRET", "VM", "AGENT", "WORKLOAD", "SECRET_POLICY", "MCP_POLICY"})
    void theFilterOfANameIsExactAndWithCase(Resource resource) {
        made(resource);

        assertThat(api.get(resource.path + "?name=n2").data()).hasSize(1);
        for (String other : List.of("N2", "n", "n22", "%20n2", "n%25", "")) {
            assertThat(api.get(resource.path + "?name=" + other).data())
                    .as(other)
                    .isEmpty();
        }
    }

    /** POST /v1/users is called without authentication: a key, whatever it is, is not looked at. */
    @Test
    void signUpLooksAtNoKey() {
        String draft = "{\"first_name\": \"a\", \"last_name\": \"b\", \"password\": \"correct horse\", \"email\": \"";

        assertThat(api.withKey("nonsense")
                        .post("/v1/users", draft + TestControl.newEmail() + "\"}")
                        .status())
                .isEqualTo(201);
        Api.Reply other = api.post("/v1/users", draft + TestControl.newEmail() + "\"}");
        assertThat(api.withKey(other.json().at("/api_key/token").asText())
                        .get("/v1/me")
                        .json()
                        .path("organization"))
                .as("an account of its own")
                .isNotEqualTo(api.get("/v1/me").json().path("organization"));
    }
}
