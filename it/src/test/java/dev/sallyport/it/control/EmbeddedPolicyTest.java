package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.it.TestProxy;
import dev.sallyport.mcp.McpFactory;
import dev.sallyport.sources.local.EnvSourceFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/policy-api.md, section "States and transitions", at the proxy of the same process, through traffic. */
@Timeout(120)
class EmbeddedPolicyTest {

    private static final String NETWORK = "/v1/policies/network";
    private static final String SECRETS = "/v1/policies/secrets";
    private static final String MCP = "/v1/policies/mcp";

    private static final String INJECT = "{\"name\": \"key\", \"priority\": 1, \"mode\": \"inject\", "
            + "\"source\": {\"type\": \"env\", \"var\": \"UPSTREAM_KEY\"}, "
            + "\"inject_config\": {\"header\": \"Authorization\", \"formatter\": \"Bearer {{.Value}}\"}}";

    @TempDir
    Path folder;

    private int port;
    private TestOrigin origin;
    private TestProxy proxy;
    private volatile String seen = ""; // the head of the last request that the origin got

    @BeforeEach
    void begin() throws Exception {
        port = Ports.unused();
        origin = TestOrigin.handling(request -> {
            seen = request.head();
            return TestOrigin.ok(
                    request.startLine().split(" ", -1)[1] + " " + Wire.field(request.head(), "Authorization"));
        });
        proxy = start("");
    }

    private TestProxy start(String more) throws Exception {
        return TestProxy.builder(folder)
                .catalog(PluginCatalog.of(
                        List.of(new AllowlistFactory(), new SecretsFactory(), new McpFactory()),
                        List.of(new EnvSourceFactory()),
                        List.of(new ControlFactory(ControlApi.PASSWORDS))))
                .environment(Map.of("UPSTREAM_KEY", "s3cr3t-0123456789"))
                .sections("control:\n  listen: 127.0.0.1:" + port + "\n  state_dir: " + folder.resolve("state") + "\n"
                        + more)
                .start();
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
        origin.close();
    }

    private String get(String path) throws IOException {
        Wire.Message answer = proxy.get(origin, path);
        return answer.status() + " " + answer.body();
    }

    private String post(String body) throws IOException {
        try (Wire client = proxy.http()) {
            Wire.Message answer = client.send("POST /mcp HTTP/1.1\r\nHost: " + origin.authority()
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                            + body)
                    .response();
            return answer.status() + " " + answer.body();
        }
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(5)).atMost(Patience.usual());
    }

    private void until(String path, String answer) {
        soon().untilAsserted(() -> assertThat(get(path)).startsWith(answer));
    }

    @Test
    void nobodyIsServedBeforeSomebodySignsUpAndNothingPassesBeforeAPolicySaysSo() throws Exception {
        assertThat(proxy.proxy().ready()).isFalse();
        assertThat(get("/")).startsWith("503").contains("not_ready");

        ControlApi.signUp(port);

        until("/", "403");
        assertThat(get("/")).contains("destination_not_allowed");
        assertThat(proxy.proxy().ready()).isTrue();
    }

    /** none, POST create; active true, PUT active false; active false, PUT active true; any, DELETE. */
    @Test
    void aNetworkPolicyIsDeliveredHeldBackDeliveredAgainAndGone() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        until("/", "403");

        String policy = api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        until("/a", "200 /a");

        String inactive =
                ControlApi.network("origin", "127.0.0.1").replace("{\"name\"", "{\"active\": false, \"name\"");
        api.send("PUT", policy, inactive, 200);
        until("/a", "403");

        api.send("PUT", policy, ControlApi.network("origin", "127.0.0.1"), 200);
        until("/a", "200 /a");

        api.send("DELETE", policy, "", 204);
        until("/a", "403");
    }

    /** docs/control-plane.md, "Limits": what is accepted is built. */
    @Test
    void aValueAsDeepAsThereMayBeIsBuilt() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        String value = "[".repeat(50) + "]".repeat(50);
        api.create(
                MCP,
                "{\"name\": \"deep\", \"priority\": 1, \"rules\": [{\"host\": \"mcp.test\"}], \"tools\": [{\"name\": \"t\", \"matchers\": [{\"path\": \"a\", \"equals\": "
                        + value + "}, {\"path\": \"b\", \"in\": [" + value + "]}]}]}");
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));

        until("/a", "200 /a");
    }

    /** any secret policy, PUT, mode changed: the other block is cleared. */
    @Test
    void aSecretIsInjectedThenReplacedThenGone() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        String policy = api.create(SECRETS, INJECT);
        until("/bot-token", "200 /bot-token Bearer SALLYPORT_REDACTED");

        api.send(
                "PUT",
                policy,
                "{\"name\": \"key\", \"priority\": 1, \"mode\": \"replace\", \"source\": {\"var\": \"UPSTREAM_KEY\"}, \"replace_config\": {\"proxy_value\": \"bot-token\"}}",
                200);
        soon().untilAsserted(() -> {
            proxy.get(origin, "/bot-token");
            assertThat(origin.connections()).isPositive();
            assertThat(lastSwap()).isEqualTo("path");
        });

        api.send("DELETE", policy, "", 204);
        until("/bot-token", "200 /bot-token ");
        assertThat(get("/bot-token")).doesNotContain("s3cr3t");
    }

    private static String secret(String name, int priority, String rule, String config) {
        return "{\"name\": \"" + name + "\", \"priority\": " + priority
                + ", \"source\": {\"var\": \"UPSTREAM_KEY\"}, \"rules\": [{\"host\": \"127.0.0.1\", " + rule + "}], "
                + config
                + "}";
    }

    private static String header(String formatter) {
        return "\"mode\": \"inject\", \"inject_config\": {\"header\": \"X-Key\", \"formatter\": \"" + formatter + "\"}";
    }

    private String key(String path) throws IOException {
        assertThat(get(path)).startsWith("200");
        return Wire.field(seen, "X-Key");
    }

    /** Header, formatter, query_param, proxy_value, priority, and the paths and methods of rules. */
    @Test
    void whatSecretPoliciesSayReachesTheOriginAndNoOtherRequest() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        api.create(SECRETS, secret("later", 5, "\"paths\": [\"/h/*\"]", header("{{.Value}}")));
        api.create(SECRETS, secret("first", 1, "\"paths\": [\"/h/*\"]", header("Basic {{base64 .Value}}")));
        api.create(SECRETS, secret("post", 1, "\"methods\": [\"POST\"]", header("POST {{.Value}}")));
        api.create(
                SECRETS,
                secret(
                        "query",
                        1,
                        "\"paths\": [\"/q\"]",
                        "\"mode\": \"inject\", \"inject_config\": {\"query_param\": \"key\"}"));
        api.create(
                SECRETS,
                secret(
                        "path",
                        1,
                        "\"paths\": [\"/bot/*\"]",
                        "\"mode\": \"replace\", \"replace_config\": {\"proxy_value\": \"a%2Db\"}"));
        soon().untilAsserted(
                        () -> { // the last one is there, and with it the others
                            assertThat(get("/bot/a%2Db/x")).startsWith("200");
                            assertThat(seen).startsWith("GET /bot/s3cr3t-0123456789/x ");
                        });

        assertThat(key("/h/a/b")).isEqualTo("Basic czNjcjN0LTAxMjM0NTY3ODk=");
        assertThat(key("/other")).isEmpty();
        assertThat(key("/other/a%2Db")).isEmpty();
        assertThat(seen).startsWith("GET /other/a%2Db ");
        assertThat(post("{}")).startsWith("200");
        assertThat(Wire.field(seen, "X-Key")).isEqualTo("POST s3cr3t-0123456789");
        assertThat(key("/q?a=1")).isEmpty();
        assertThat(seen).startsWith("GET /q?a=1&key=s3cr3t-0123456789 ");
    }

    /** Where the last request got its secret. */
    private String lastSwap() throws InterruptedException {
        JsonNode last = proxy.record();
        for (JsonNode next = last; next != null; next = proxy.nextRecord()) {
            last = next;
        }
        return last.findPath("swapped").at("/0/locations/0").asText();
    }

    @Test
    void anMcpPolicyDeniesWhatItDoesNotListAtEveryDestination() throws Exception {
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"drop\",\"arguments\":{}}}";
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        soon().untilAsserted(() -> assertThat(post(call)).startsWith("200 /mcp"));

        String policy = api.create(MCP, "{\"name\": \"tools\", \"priority\": 1, \"tools\": [{\"name\": \"search\"}]}");

        soon().untilAsserted(() -> assertThat(post(call)).contains("tool_not_allowed"));
        assertThat(post(call.replace("drop", "search"))).startsWith("200 /mcp");
        assertThat(post("{\"plain\": 1}")).startsWith("200 /mcp");

        api.send("DELETE", policy, "", 204);
        soon().untilAsserted(() -> assertThat(post(call)).startsWith("200 /mcp"));
    }

    /** All matchers of a tool must pass; one without matchers may have any arguments. */
    @Test
    void theMatchersOfAnMcpPolicyDecide() throws Exception {
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":"
                        + "{\"a\":{\"b\":1},\"c\":\"x\",\"d\":42}}}";
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        api.create(
                MCP,
                "{\"name\": \"tools\", \"priority\": 1, \"tools\": [{\"name\": \"free\"}, {\"name\": \"t\", \"matchers\": ["
                        + "{\"path\": \"a.b\", \"equals\": 1}, {\"path\": \"c\", \"in\": [\"x\", null]}, {\"path\": \"d\", \"matches\": \"^[0-9]+$\"}]}]}");
        soon().untilAsserted(() ->
                assertThat(post(call.replace("\"t\"", "\"other\""))).contains("tool_not_allowed"));

        assertThat(post(call)).startsWith("200 /mcp");
        assertThat(post(call.replace("\"x\"", "null"))).startsWith("200 /mcp");
        assertThat(post(call.replace("\"t\"", "\"free\"").replace("42", "[]"))).startsWith("200 /mcp");
        for (String denied : List.of(
                call.replace("\"b\":1", "\"b\":2"),
                call.replace("\"b\":1", "\"b\":\"1\""),
                call.replace("\"b\":1", "\"e\":1"),
                call.replace("\"x\"", "\"y\""),
                call.replace("42", "\"4 2\""))) {
            assertThat(post(denied)).as(denied).contains("\"error\"").doesNotStartWith("200 /mcp");
        }
    }

    @Test
    void policiesWithTagsThatTheProxyDoesNotCarryAreNotDelivered() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        String tagged =
                ControlApi.network("tagged", "127.0.0.1").replace("{\"name\"", "{\"match_tags\": [\"eu\"], \"name\"");
        api.create(NETWORK, tagged);
        api.create(SECRETS, INJECT);
        until("/", "403");
        proxy.close();

        proxy = start("  tags: [eu, prod]\n");

        assertThat(get("/")).startsWith("200 / Bearer");
    }

    @Test
    void policiesAreInForceFromTheFirstRequestAfterARestart() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        proxy.close();

        proxy = start("");

        assertThat(get("/")).startsWith("200 /");
    }

    /** Another account's policies are not for this proxy. */
    @Test
    void theAccountThatSignedUpFirstIsServed() throws Exception {
        ControlApi.signUp(port);
        ControlApi second = ControlApi.signUp(port);
        second.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        until("/", "403");
        assertThat(get("/")).contains("destination_not_allowed");
    }

    @Test
    void aTransferUnderWayEndsWhenItsPolicyIsDeleted() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (TestOrigin streaming = TestOrigin.of(peer -> {
            peer.request();
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            peer.chunk("data: 1\n\n");
            done.await(3L * Patience.SECONDS, TimeUnit.SECONDS);
        })) {
            ControlApi api = ControlApi.signUp(port);
            String policy = api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
            until("/", "200");
            try (Wire client = proxy.http()) {
                client.send("GET /events HTTP/1.1\r\nHost: " + streaming.authority() + "\r\n\r\n");
                assertThat(client.readThrough("data: 1\n\n")).contains("200");

                api.send("DELETE", policy, "", 204);

                client.readToEnd();
            }
            soon().untilAsserted(() -> assertThat(proxy.closeAndRecords())
                    .anySatisfy(record -> assertThat(record.toString()).contains("/events", "policy_changed")));
        } finally {
            done.countDown();
        }
    }

    /** What cannot be built fails closed, and works again when the policy has gone. */
    @Test
    void aPolicyThatCannotBeBuiltRefusesEverythingUntilItIsGone() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        until("/", "200");

        String policy = api.create(
                SECRETS, INJECT.replace("\"env\", \"var\": \"UPSTREAM_KEY\"", "\"cloud_sm\", \"secret_id\": \"s\""));
        until("/", "503");
        assertThat(get("/")).contains("policy_unavailable");

        api.send("DELETE", policy, "", 204);
        until("/", "200");
    }

    /** A value that cannot be read is missed by requests that need it alone (docs/spec/decisions.md, section 6). */
    @Test
    void aValueThatCannotBeReadRefusesTheRequestsThatNeedIt() throws Exception {
        ControlApi api = ControlApi.signUp(port);
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        api.create(
                SECRETS,
                INJECT.replace("UPSTREAM_KEY", "NOT_THERE")
                        .replace(
                                "\"source\"",
                                "\"rules\": [{\"host\": \"127.0.0.1\", \"paths\": [\"/key\"]}], \"source\""));

        until("/other", "200"); // the network policy, perhaps before the other
        until("/key", "403");
        assertThat(get("/key")).contains("secret_unavailable");
        assertThat(get("/other")).startsWith("200");
    }
}
