package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Organizations do not see each other, on any route that the OpenAPI document has. */
class IsolationTest {

    private static final String UNKNOWN = "00000000000000000000000000";

    /** How a resource is made, and what is answered where there is none. */
    private record Resource(String prefix, String unknown, String body) {}

    /** Their identifiers are the keys that clients choose. */
    private static final String VARIABLES = "/v1/env";

    /** They are made below VMs. */
    private static final String SNAPSHOTS = "/v1/snapshots";

    private static final Map<String, Resource> RESOURCES = Map.ofEntries(
            Map.entry(
                    "/v1/policies/secrets",
                    new Resource(
                            "spol_",
                            "secret_policy_not_found",
                            "{\"name\": \"a\", \"priority\": 1, \"mode\": \"replace\", \"source\": {\"var\": \"X\"}, \"replace_config\": {\"proxy_value\": \"x\"}}")),
            Map.entry(
                    "/v1/policies/mcp",
                    new Resource("mpol_", "mcp_policy_not_found", "{\"name\": \"a\", \"priority\": 1}")),
            Map.entry(
                    "/v1/policies/network",
                    new Resource("npol_", "network_policy_not_found", "{\"name\": \"a\", \"priority\": 1}")),
            Map.entry("/v1/api-keys", new Resource("key_", "api_key_not_found", "{\"name\": \"a\"}")),
            Map.entry("/v1/proxies", new Resource("prx_", "proxy_not_found", "{\"name\": \"a\"}")),
            Map.entry(
                    "/v1/egress/rules",
                    new Resource("egr_", "egress_rule_not_found", "{\"name\": \"a\", \"host\": \"a.test\"}")),
            Map.entry(
                    "/v1/secrets",
                    new Resource(
                            "sec_", "secret_not_found", "{\"name\": \"a\", \"secret\": \"s\", \"env_var\": \"A\"}")),
            Map.entry("/v1/workloads", new Resource("wl_", "workload_not_found", "{\"name\": \"a\"}")),
            Map.entry(
                    "/v1/vms",
                    new Resource(
                            "vm_",
                            "vm_not_found",
                            "{\"name\": \"a\", \"public_key\": \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA\"}")),
            Map.entry(
                    "/v1/agents",
                    new Resource(
                            "agt_",
                            "agent_not_found",
                            "{\"name\": \"a\", \"repo\": \"https://git.test/x.git\", \"prompt\": \"p\"}")),
            Map.entry(SNAPSHOTS, new Resource("snap_", "snapshot_not_found", "{}")),
            Map.entry(VARIABLES, new Resource("K_", "env_not_found", "{\"value\": \"v\"}")));

    /** The lists; the one of changes is filled by the others. */
    private static final Set<String> LISTS = Set.of(
            "/v1/policies/secrets",
            "/v1/policies/mcp",
            "/v1/policies/network",
            "/v1/api-keys",
            "/v1/proxies",
            "/v1/proxies/{proxy_id}/heads",
            "/v1/egress/rules",
            "/v1/secrets",
            "/v1/workloads",
            "/v1/agents",
            "/v1/vms",
            "/v1/vms/{vm_id}/events",
            "/v1/vms/{vm_id}/snapshots",
            SNAPSHOTS,
            VARIABLES,
            "/v1/audit/egress",
            "/v1/audit/egress/hours",
            "/v1/audit/admin");

    private final TestControl control = TestControl.shared();
    private final Api owner = control.newAccount();
    private final Api stranger = control.newAccount();

    private List<Contract.Operation> operations() {
        return control.contract().operations();
    }

    private Stream<Contract.Operation> withIdentifiers() {
        return operations().stream().filter(operation -> operation.path().contains("{"));
    }

    private static boolean isOpen(Contract.Operation operation) {
        return operation.description().path("security").isArray()
                && operation.description().path("security").isEmpty();
    }

    private static String collection(Contract.Operation operation) {
        return operation.path().replaceAll("/\\{.*", "");
    }

    private static String path(Contract.Operation operation, String id) {
        return operation.path().replaceAll("\\{[a-z_]+}", id);
    }

    /** Without what changes by itself. */
    private static String settled(String list) {
        return list.replaceAll(
                "\"(status|status_detail|updated_at|storage_key|size_bytes|branch)\":(\"[^\"]*\"|\\d+|null)", "");
    }

    private static String name() {
        return TestControl.newEmail().replaceAll("@.*", "");
    }

    private static String made(Api api, String collection) {
        String name = name();
        String body = RESOURCES.get(collection).body();
        if (collection.equals(VARIABLES)) {
            assertThat(api.put(VARIABLES + "/" + name, body).status()).isEqualTo(200);
            return name;
        }
        if (collection.equals(SNAPSHOTS)) {
            Api.Reply reply = Sandbox.ready(api, name).snapshot(body);
            assertThat(reply.status()).as(reply.text()).isEqualTo(201);
            return reply.data().path("id").asText();
        }
        Api.Reply reply = api.post(
                collection,
                body.replace("\"a\"", "\"" + name + "\"")
                        .replace("\"A\"", "\"" + name.toUpperCase(Locale.ROOT) + "\""));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json()
                .path("data")
                .path("id")
                .asText(reply.json().path("id").asText());
    }

    private static @Nullable String body(Contract.Operation operation) {
        return switch (operation.method()) {
            case "PUT" -> RESOURCES.get(collection(operation)).body();
            case "PATCH" -> "{}";
            default -> null;
        };
    }

    @Test
    void everyOperationWithAnIdentifierAndEveryListHasARowHere() {
        assertThat(withIdentifiers().map(IsolationTest::collection).collect(Collectors.toSet()))
                .isEqualTo(RESOURCES.keySet());
        assertThat(operations().stream()
                        .filter(operation -> operation.method().equals("GET")
                                && operation.description().toString().contains("has_more"))
                        .map(Contract.Operation::path)
                        .collect(Collectors.toSet()))
                .isEqualTo(LISTS);
    }

    /** Keys that are not valid: of nobody, revoked, expired, in another form. */
    private List<Api> invalid() {
        String at = control.clock().instant().plusSeconds(60).toString();
        Api.Reply revoked = owner.post("/v1/api-keys", "{\"name\": \"gone\"}");
        Api.Reply expired = owner.post("/v1/api-keys", "{\"name\": \"late\", \"expires_at\": \"" + at + "\"}");
        owner.delete("/v1/api-keys/" + revoked.json().path("id").asText());
        control.clock().advance(Duration.ofSeconds(61));
        return List.of(
                control.anonymous(),
                control.anonymous().withKey("sp_live_" + "0".repeat(43)),
                control.anonymous().withKey(revoked.json().path("token").asText()),
                control.anonymous().withKey(expired.json().path("token").asText()));
    }

    @TestFactory
    Stream<DynamicTest> withoutAValidKeyEveryOperationButTheOpenOnesIs401() {
        List<Api> clients = invalid();
        return operations().stream()
                .filter(operation -> !isOpen(operation))
                .map(operation -> DynamicTest.dynamicTest(operation.method() + " " + operation.path(), () -> {
                    String known = operation.path().contains("{") ? made(owner, collection(operation)) : "";
                    String path = operation.path().replaceAll("\\{[a-z_]+}", known);
                    Set<String> answers = new TreeSet<>();
                    for (Api client : clients) {
                        Api.Reply reply = client.send(operation.method(), path, "{}");
                        assertThat(reply.error()).isEqualTo("401 unauthorized");
                        assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
                        answers.add(client.key().equals("null") ? "" : reply.text());
                    }
                    answers.remove("");
                    assertThat(answers).as("why a key is not valid is not told").hasSize(1);
                }));
    }

    @TestFactory
    Stream<DynamicTest> anotherOrganizationsIdentifierIsAnsweredAsAnUnknownOne() {
        Api device = device();
        return withIdentifiers()
                .filter(operation -> !(operation.method() + operation.path()).equals("PUT" + VARIABLES + "/{key}"))
                .map(operation -> DynamicTest.dynamicTest(operation.method() + " " + operation.path(), () -> {
                    Resource resource = RESOURCES.get(collection(operation));
                    String id = made(owner, collection(operation));
                    String before = settled(owner.get(collection(operation)).text());
                    for (Api other : List.of(stranger, device, stranger.withHeader("If-Match", "\"1\""))) {
                        Api.Reply theirs = other.send(operation.method(), path(operation, id), body(operation));
                        Api.Reply unknown = other.send(
                                operation.method(), path(operation, resource.prefix() + UNKNOWN), body(operation));
                        Api.Reply malformed = other.send(operation.method(), path(operation, "x"), body(operation));

                        assertThat(theirs.error()).isEqualTo("404 " + resource.unknown());
                        assertThat(theirs.text()).isEqualTo(unknown.text()).isEqualTo(malformed.text());
                        assertThat(theirs.headers().map().keySet())
                                .isEqualTo(unknown.headers().map().keySet());
                    }
                    assertThat(settled(owner.get(collection(operation)).text())).isEqualTo(before);
                }));
    }

    /** A client with the key that the stranger's device got. */
    private Api device() {
        String code = control.anonymous()
                .post("/v1/auth/device/code", null)
                .data()
                .path("code")
                .asText();
        stranger.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}");
        return control.anonymous()
                .withKey(control.anonymous()
                        .get("/v1/auth/device/poll?code=" + code)
                        .data()
                        .path("token")
                        .asText());
    }

    @TestFactory
    Stream<DynamicTest> listsHoldNothingOfAnotherOrganization() {
        RESOURCES.keySet().forEach(collection -> made(owner, collection));
        EgressEvents.arrive(control, owner, "a.test");
        String owned = owner.get("/v1/me").json().at("/user/id").asText();
        return LISTS.stream()
                .filter(list -> !list.contains("{")) // these are among the operations with an identifier
                .map(list -> DynamicTest.dynamicTest("GET " + list, () -> {
                    List<String> theirs = owner.get(list).data().findValuesAsText("id");
                    Api.Reply mine = stranger.get(list);

                    assertThat(theirs).isNotEmpty();
                    assertThat(mine.data().findValuesAsText("id")).doesNotContainAnyElementsOf(theirs);
                    assertThat(mine.text()).doesNotContain(owned);
                }));
    }

    @Test
    void aVariableOfTheSameKeyIsAnotherOne() {
        String key = made(owner, VARIABLES);

        assertThat(stranger.put(VARIABLES + "/" + key, "{\"value\": \"mine\"}").status())
                .isEqualTo(200);

        assertThat(owner.get(VARIABLES + "/" + key).json().path("value").asText())
                .isEqualTo("v");
    }

    @Test
    void aCursorOfAnotherOrganizationShowsNothingOfIt() {
        List<String> lists = List.of(
                "/v1/api-keys",
                "/v1/egress/rules",
                "/v1/secrets",
                "/v1/workloads",
                "/v1/agents",
                "/v1/vms",
                SNAPSHOTS,
                VARIABLES,
                "/v1/audit/egress",
                "/v1/audit/egress/hours",
                "/v1/audit/admin");
        RESOURCES.keySet().forEach(collection -> made(owner, collection));
        RESOURCES.keySet().forEach(collection -> made(owner, collection));
        EgressEvents.arrive(control, owner, "a.test");
        EgressEvents.arrive(control, owner, "b.test");
        for (String list : lists) {
            String cursor = owner.get(list + "?limit=1").json().path("cursor").asText();
            assertThat(cursor).as(list).isNotEqualTo("null");
            List<String> theirs = owner.get(list).data().findValuesAsText("id");

            Api.Reply reply = stranger.get(list + "?cursor=" + cursor);

            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.data().findValuesAsText("id")).doesNotContainAnyElementsOf(theirs);
        }
    }
}
