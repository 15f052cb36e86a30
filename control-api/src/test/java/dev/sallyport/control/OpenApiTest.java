package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The description of the API. */
class OpenApiTest {

    private final TestControl control = TestControl.shared();
    private final JsonNode document = control.contract().document();

    @Test
    void itIsOpenApi31WithEveryRouteOfTheApi() {
        assertThat(document.path("openapi").asText()).isEqualTo("3.1.0");
        assertThat(control.contract().operations())
                .extracting(operation -> operation.method() + " " + operation.path())
                .containsExactlyInAnyOrder(
                        "GET /v1/agents",
                        "POST /v1/agents",
                        "GET /v1/agents/{agent_id}",
                        "DELETE /v1/agents/{agent_id}",
                        "GET /v1/agents/{agent_id}/logs",
                        "GET /v1/agents/{agent_id}/patch",
                        "GET /v1/api-keys",
                        "POST /v1/api-keys",
                        "DELETE /v1/api-keys/{api_key_id}",
                        "GET /v1/audit/admin",
                        "GET /v1/audit/egress",
                        "GET /v1/audit/egress/export",
                        "GET /v1/audit/egress/hours",
                        "GET /v1/audit/egress/stream",
                        "POST /v1/auth/device/approve",
                        "POST /v1/auth/device/code",
                        "GET /v1/auth/device/poll",
                        "POST /v1/egress/explain",
                        "GET /v1/egress/policy",
                        "PUT /v1/egress/policy",
                        "GET /v1/egress/rules",
                        "POST /v1/egress/rules",
                        "DELETE /v1/egress/rules/{rule_id}",
                        "GET /v1/env",
                        "GET /v1/env/{key}",
                        "PUT /v1/env/{key}",
                        "DELETE /v1/env/{key}",
                        "GET /v1/feed",
                        "POST /v1/feed",
                        "POST /v1/feed/acknowledgements",
                        "POST /v1/feed/events",
                        "POST /v1/feed/heads",
                        "GET /v1/me",
                        "GET /v1/openapi.json",
                        "GET /v1/policies/mcp",
                        "POST /v1/policies/mcp",
                        "GET /v1/policies/mcp/{policy_id}",
                        "PUT /v1/policies/mcp/{policy_id}",
                        "DELETE /v1/policies/mcp/{policy_id}",
                        "GET /v1/policies/network",
                        "POST /v1/policies/network",
                        "GET /v1/policies/network/{policy_id}",
                        "PUT /v1/policies/network/{policy_id}",
                        "DELETE /v1/policies/network/{policy_id}",
                        "GET /v1/policies/secrets",
                        "POST /v1/policies/secrets",
                        "GET /v1/policies/secrets/{policy_id}",
                        "PUT /v1/policies/secrets/{policy_id}",
                        "DELETE /v1/policies/secrets/{policy_id}",
                        "GET /v1/proxies",
                        "POST /v1/proxies",
                        "GET /v1/proxies/{proxy_id}",
                        "GET /v1/proxies/{proxy_id}/heads",
                        "DELETE /v1/proxies/{proxy_id}",
                        "GET /v1/secrets",
                        "POST /v1/secrets",
                        "GET /v1/secrets/{secret_id}",
                        "PATCH /v1/secrets/{secret_id}",
                        "DELETE /v1/secrets/{secret_id}",
                        "POST /v1/users",
                        "GET /v1/workloads",
                        "POST /v1/workloads",
                        "GET /v1/workloads/{workload_id}",
                        "DELETE /v1/workloads/{workload_id}",
                        "GET /v1/vms",
                        "POST /v1/vms",
                        "GET /v1/vms/{vm_id}",
                        "DELETE /v1/vms/{vm_id}",
                        "POST /v1/vms/{vm_id}/start",
                        "POST /v1/vms/{vm_id}/stop",
                        "GET /v1/vms/{vm_id}/ssh",
                        "GET /v1/vms/{vm_id}/ssh/host-keys",
                        "GET /v1/vms/{vm_id}/counters",
                        "GET /v1/vms/{vm_id}/events",
                        "GET /v1/vms/{vm_id}/snapshots",
                        "POST /v1/vms/{vm_id}/snapshots",
                        "GET /v1/snapshots",
                        "GET /v1/snapshots/{snapshot_id}",
                        "DELETE /v1/snapshots/{snapshot_id}");
    }

    @Test
    void everyReferenceLeadsSomewhereAndEveryOperationHasANameOfItsOwn() {
        Set<String> names = new HashSet<>();
        document.path("components").path("schemas").fieldNames().forEachRemaining(names::add);
        Set<String> used = new HashSet<>();
        document.findValuesAsText("$ref")
                .forEach(reference -> used.add(reference.replace("#/components/schemas/", "")));

        assertThat(used).isEqualTo(names);
        List<String> ids = document.findValuesAsText("operationId");
        assertThat(ids)
                .doesNotHaveDuplicates()
                .hasSize(control.contract().operations().size());
    }

    @Test
    void everySchemaIsOne() {
        document.path("components")
                .path("schemas")
                .forEach(schema -> assertThat(control.contract().schema(schema).validate(Api.tree("{}")))
                        .isNotNull());
    }

    @Test
    void everyOperationNamesItsErrors() {
        control.contract().operations().forEach(operation -> {
            JsonNode responses = operation.description().path("responses");
            assertThat(responses.has("500")).isTrue();
            assertThat(responses.has("429")).isTrue();
            assertThat(responses.has("401"))
                    .as(operation.path())
                    .isEqualTo(!isOpen(operation.description().path("security")));
        });
    }

    private static boolean isOpen(JsonNode security) {
        return security.isArray() && security.isEmpty();
    }

    @Test
    void whatMayBeNullAndWhatWordsThereAreIsSaid() {
        JsonNode schemas = document.path("components").path("schemas");

        assertThat(schemas.at("/NetworkPolicyInput/properties/match_tags/type"))
                .isEqualTo(Api.tree("[\"array\", \"null\"]"));
        assertThat(schemas.at("/NetworkPolicy/properties/match_tags/type").asText())
                .isEqualTo("array");
        assertThat(schemas.at("/DevicePoll/properties/status/enum"))
                .isEqualTo(Api.tree("[\"pending\", \"authorized\", \"expired\"]"));
    }

    @Test
    void itsPageTellsWhatFieldsMayBe() {
        assertThat(control.anonymous().get("/docs").text())
                .contains("<td>required, ", "default <code>", "characters at most <code>64</code>", "items at most");
    }

    @Test
    void itsPageNeedsNoKeyAndNoScripts() {
        Api.Reply page = control.anonymous().get("/docs");

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).startsWith("text/html");
        assertThat(page.text())
                .contains("POST /v1/policies/secrets", "SecretPolicyInput", "proxy_value")
                .doesNotContain("<script");
        assertThat(control.anonymous().get("/style.css").header("Content-Type")).startsWith("text/css");
    }
}
