package dev.sallyport.server.management;

import static dev.sallyport.server.management.Managed.KEY;
import static dev.sallyport.server.management.Managed.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ManagementSection;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.server.Failure;
import dev.sallyport.server.otlp.Exports;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The management API (docs/spec/decisions.md, section 13; docs/management.md), over real connections. */
@Timeout(60)
class ManagementApiTest {

    private static final String OPEN = "transforms:\n  - {name: allowlist, config: {domains: [localhost]}}\n";

    @TempDir
    private Path folder;

    // The key.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Authorization: Bearer wrong\r\n",
                "Authorization: Bearer " + KEY + "x\r\n",
                "Authorization: Bearer \r\n",
                "Authorization: Basic " + KEY + "\r\n",
                "Authorization: " + KEY + "\r\n",
                "Authorization: Bearer " + KEY + "\r\nAuthorization: Bearer " + KEY + "\r\n"
            })
    void without_the_key_401_unauthorized(String authorization) throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            for (String target : Set.of("POST /v1/reload", "GET /v1/status", "GET /no/such/path")) {
                try (Wire client = managed.connect()) {
                    client.send(target + " HTTP/1.1\r\nHost: x\r\n" + authorization + "\r\n");
                    Wire.Message answer = client.message();
                    assertThat(answer.status()).isEqualTo(401);
                    assertThat(answer.field("WWW-Authenticate")).isEqualTo("Bearer");
                    assertThat(error(answer).get("code").asText()).isEqualTo("unauthorized");
                }
            }
            assertThat(managed.server.proxy().generation()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"NO_SUCH_KEY, is not set", "EMPTY_KEY, is empty"})
    void a_variable_without_a_key_refuses_the_start_and_is_named(String variable, String what) {
        String management = OPEN + "log: {level: info}\n";
        Failure failure = catchThrowableOfType(
                Failure.class,
                () -> Managed.start(
                        folder, management, Map.of("EMPTY_KEY", "", "SALLYPORT_MANAGEMENT_API_KEY_ENV", variable)));

        assertThat(failure.problems())
                .singleElement()
                .asString()
                .contains("/management/api_key_env: the environment variable " + variable + " " + what);
    }

    @Test
    void health_and_readiness_need_no_key_on_either_listener() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN);
                Wire metrics = Wire.to(managed.server.metricsAddress());
                Wire management = managed.connect()) {
            for (Wire client : new Wire[] {metrics, management}) {
                for (String path : new String[] {"/healthz", "/readyz"}) {
                    Wire.Message answer = client.get(path, "x");
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.body()).isEqualTo("OK");
                }
            }
            managed.server.proxy().close();
            for (Wire client : new Wire[] {metrics, management}) {
                assertThat(client.get("/healthz", "x").status()).isEqualTo(200);
                Wire.Message answer = client.get("/readyz", "x");
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.body()).isEqualTo("not ready");
            }
        }
    }

    // HTTP.

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET    | /v1/reload       | POST",
                "DELETE | /v1/status       | GET, HEAD",
                "POST   | /v1/config       | GET, HEAD",
                "PUT    | /v1/audit/recent | GET, HEAD",
                "POST   | /healthz         | GET, HEAD"
            })
    void another_method_405_method_not_allowed(String method, String path, String allow) throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            Wire.Message answer = managed.ask(method, path);
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.field("Allow")).isEqualTo(allow);
            assertThat(error(answer).get("code").asText()).isEqualTo("method_not_allowed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/v1", "/v1/status/", "/v1/Status", "/v1/%73tatus", "//v1/status", "http://x/v1/status"})
    void another_path_404_not_found(String path) throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            assertThat(managed.json("GET", path, 404).at("/error/code").asText())
                    .isEqualTo("not_found");
        }
    }

    @Test
    void a_request_that_is_malformed_or_too_long_is_answered_and_the_connection_ends() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            String key = "Authorization: Bearer " + KEY + "\r\n";
            assertRefused(managed, "GET / HTTP/1.1\r\nHost: x\r\nbad header: 1\r\n\r\n", 400, "bad_request");
            assertRefused(
                    managed,
                    "POST /v1/reload HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                    400,
                    "bad_request");
            assertRefused(managed, "GET /" + "x".repeat(9000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414, "uri_too_long");
            assertRefused(
                    managed,
                    "GET / HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
                    431,
                    "headers_too_large");
            assertRefused(
                    managed,
                    "POST /v1/reload HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: 20000\r\n\r\n",
                    413,
                    "payload_too_large");
            assertRefused(
                    managed,
                    "POST /v1/reload HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n" + "4e20\r\n"
                            + "x".repeat(20_000) + "\r\n0\r\n\r\n",
                    413,
                    "payload_too_large");
            assertRefused(
                    managed,
                    "POST /v1/reload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
                    401,
                    "unauthorized");
            assertRefused(
                    managed,
                    "POST /v1/reload HTTP/1.1\r\nHost: x\r\n" + key
                            + "Expect: 100-continue\r\nContent-Length: 20000\r\n\r\n",
                    413,
                    "payload_too_large");
            assertThat(managed.server.proxy().generation()).isEqualTo(1);
        }
    }

    /** The codec has older ones of these. */
    @Test
    void reason_phrases_are_those_of_rfc_9110() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            managed.rewrite("transforms:\n  - {name: allowlist, config: {domain: [a]}}\n");

            assertPhrase(managed, request("POST", "/v1/reload"), "422 Unprocessable Content");
            assertPhrase(
                    managed,
                    request("POST", "/v1/reload").replace("\r\n\r\n", "\r\nContent-Length: 20000\r\n\r\n"),
                    "413 Content Too Large");
            assertPhrase(managed, request("GET", "/" + "x".repeat(9000)), "414 URI Too Long");
        }
    }

    private static void assertPhrase(Managed managed, String request, String expected) throws Exception {
        try (Wire client = managed.connect()) {
            client.send(request);
            assertThat(client.readHead()).startsWith("HTTP/1.1 " + expected + "\r\n");
        }
    }

    private static void assertRefused(Managed managed, String request, int status, String code) throws Exception {
        try (Wire client = managed.connect()) {
            client.send(request);
            Wire.Message answer = client.message();
            assertThat(answer.status()).as(request.substring(0, 20)).isEqualTo(status);
            assertThat(error(answer).get("code").asText()).isEqualTo(code);
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void a_connection_serves_requests_in_their_order_head_too() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN);
                Wire client = managed.connect()) {
            client.send(request("HEAD", "/v1/config")
                    + request("POST", "/v1/reload")
                    + request("GET", "/nowhere")
                    + request("GET", "/v1/status"));

            Wire.Message first = client.headOnly();
            assertThat(first.status()).isEqualTo(200);
            assertThat(Integer.parseInt(first.field("Content-Length"))).isPositive();
            assertThat(client.message().body()).isEqualTo("{\"status\":\"ok\",\"generation\":2}");
            assertThat(client.message().status()).isEqualTo(404);
            assertThat(Managed.json(client.message().body()).get("generation").asInt())
                    .isEqualTo(2);
        }
    }

    @Test
    void a_body_that_is_expected_is_asked_for() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN);
                Wire client = managed.connect()) {
            client.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\nAuthorization: bearer " + KEY
                    + "\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
            assertThat(client.readHead()).startsWith("HTTP/1.1 100 ");
            client.send("{}");
            assertThat(client.message().status()).isEqualTo(200);
        }
    }

    // Reload.

    @Test
    void reload_200() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            Wire.Message answer = managed.ask("POST", "/v1/reload");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"status\":\"ok\",\"generation\":2}");
        }
    }

    @Test
    void reload_422_invalid_config_leaves_what_runs() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            managed.rewrite("transforms:\n  - {name: allowlist, config: {domain: [a]}}\n");

            JsonNode error = managed.json("POST", "/v1/reload", 422).get("error");

            assertThat(error.get("code").asText()).isEqualTo("invalid_config");
            assertThat(error.get("message").asText()).contains("1 problem in the configuration");
            assertThat(error.get("problems")).hasSize(1);
            JsonNode problem = error.get("problems").get(0);
            assertThat(problem.get("file").asText()).isEqualTo(managed.file.toString());
            assertThat(problem.get("line").asInt()).isEqualTo(11);
            assertThat(problem.get("column").asInt()).isEqualTo(32);
            assertThat(problem.get("pointer").asText()).isEqualTo("/transforms/0/config/domain");
            assertThat(problem.get("message").asText()).isEqualTo("unknown key \"domain\" (expected: domains?)");
            assertThat(managed.server.proxy().generation()).isEqualTo(1);

            // and: the status tells of it
            JsonNode last = managed.json("GET", "/v1/status", 200).get("last_reload");
            assertThat(last.get("status").asText()).isEqualTo("invalid");
            assertThat(last.get("problems")).isEqualTo(error.get("problems"));
            assertThat(Instant.parse(last.get("at").asText())).isBeforeOrEqualTo(Instant.now());
        }
    }

    @Test
    void reload_409_while_another_is_running() throws Exception {
        // given: a proxy whose configuration is checked for as long as the test likes
        CountDownLatch checking = new CountDownLatch(1);
        CountDownLatch checked = new CountDownLatch(1);
        AtomicBoolean started = new AtomicBoolean();
        EgressProxy.Builder builder = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
                        tls: {mode: sni-only}
                        """)
                .catalog(PluginCatalog.of(List.of(), List.of()))
                .configCheck(loaded -> {
                    if (started.get()) {
                        checking.countDown();
                        await(checked);
                    }
                    return List.of();
                });
        try (EgressProxy proxy = builder.build();
                ManagementApi api = new ManagementApi(proxy, new Reloader(proxy, Exports.none()), new RecentAudit())) {
            proxy.start();
            started.set(true);
            api.start(new ManagementSection(new ListenAddress("127.0.0.1", 0), "KEY"), Map.of("KEY", KEY), null);
            try (Wire first = Wire.to(api.address());
                    Wire second = Wire.to(api.address())) {
                first.send(request("POST", "/v1/reload"));
                await(checking);

                // when
                Wire.Message answer = second.send(request("POST", "/v1/reload")).message();

                // then
                assertThat(answer.status()).isEqualTo(409);
                assertThat(error(answer).get("code").asText()).isEqualTo("reload_in_progress");
                checked.countDown();
                assertThat(first.message().body()).isEqualTo("{\"status\":\"ok\",\"generation\":2}");
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void reload_names_what_needs_a_restart_and_what_could_not_be_read_again() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "a secret of some length");
        String transforms = """
                transforms:
                  - {name: allowlist, config: {domains: [localhost]}}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: file, path: secret}
                          inject: {header: X-Key}
                          rules: [{host: localhost}]
                """;
        try (Managed managed = Managed.start(folder, transforms)) {
            assertThat(managed.json("GET", "/v1/status", 200)
                            .at("/sources/0/status")
                            .asText())
                    .isEqualTo("fresh");
            Thread.sleep(1100); // a value this young is not read again
            Files.delete(secret);
            managed.rewrite(transforms + "log: {audit: {slots: 1000}}\n");

            JsonNode answer = managed.json("POST", "/v1/reload", 200);

            assertThat(answer.get("restart_required"))
                    .singleElement()
                    .satisfies(pointer -> assertThat(pointer.asText()).isEqualTo("/log/audit/slots"));
            assertThat(answer.get("stale")).hasSize(1);
            JsonNode status = managed.json("GET", "/v1/status", 200);
            assertThat(status.at("/sources/0/status").asText()).isEqualTo("stale");
            assertThat(status.at("/last_reload/stale")).isEqualTo(answer.get("stale"));
        }
    }

    // Status and configuration.

    @Test
    void status_names_the_workloads() throws Exception {
        String two = """
                transforms: [{name: allowlist}]
                workloads:
                  - {name: nightly, source_cidrs: [10.0.0.0/8]}
                  - {name: ci, source_cidrs: [10.1.0.0/16]}
                """;
        try (Managed managed = Managed.start(folder, two)) {
            List<String> names = new ArrayList<>();
            managed.json("GET", "/v1/status", 200).get("workloads").forEach(name -> names.add(name.asText()));

            assertThat(names).containsExactly("ci", "nightly");
        }
    }

    @Test
    void status_has_all_its_fields() throws Exception {
        Files.writeString(folder.resolve("secret"), "a secret of some length");
        String transforms = """
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: file, path: secret}
                          inject: {header: X-Key}
                          rules: [{host: localhost}]
                        - source: {type: env, var: MISSING, optional: true}
                          inject: {header: X-Other}
                          rules: [{host: localhost}]
                """;
        try (Managed managed = Managed.start(folder, transforms)) {
            JsonNode status = managed.json("GET", "/v1/status", 200);

            assertThat(names(status))
                    .containsExactlyInAnyOrder(
                            "version",
                            "generation",
                            "uptime_seconds",
                            "ready",
                            "listeners",
                            "sources",
                            "certificates",
                            "last_reload",
                            "warnings",
                            "workloads");
            assertThat(status.get("version").asText()).isNotEmpty();
            assertThat(status.get("generation").asInt()).isEqualTo(1);
            assertThat(status.get("ready").asBoolean()).isTrue();
            assertThat(status.get("last_reload").isNull()).isTrue();
            assertThat(status.get("listeners").findValuesAsText("name"))
                    .containsExactly("http_listen", "tunnel_listen", "management.listen", "metrics.listen");
            assertThat(status.get("listeners").findValuesAsText("address"))
                    .contains("127.0.0.1:" + managed.server.managementAddress().getPort())
                    .allMatch(address -> address.matches("127\\.0\\.0\\.1:[1-9][0-9]*"));
            JsonNode file = status.get("sources").get(0);
            assertThat(file.get("type").asText()).isEqualTo("file");
            assertThat(file.get("pointer").asText()).isEqualTo("/transforms/0/config/secrets/0/source");
            assertThat(file.get("status").asText()).isEqualTo("fresh");
            assertThat(Instant.parse(file.get("last_read").asText())).isBeforeOrEqualTo(Instant.now());
            JsonNode missing = status.get("sources").get(1);
            assertThat(missing.get("status").asText()).isEqualTo("failed");
            assertThat(missing.get("last_read").isNull()).isTrue();
            JsonNode authority = status.get("certificates").get(0);
            assertThat(authority.get("name").asText()).isEqualTo("tls.ca_cert");
            assertThat(Instant.parse(authority.get("not_after").asText())).isAfter(Instant.now());
            assertThat(status.get("warnings").toString()).contains("nothing limits where requests may go");
        }
    }

    @Test
    void config_shows_defaults_and_no_secret() throws Exception {
        String transforms = """
                transforms:
                  - {name: allowlist, config: {domains: [localhost], rules: [{host: a.test, methods: [GET]}]}}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: THE_TOKEN}
                          replace: {proxy_value: placeholder-of-it}
                          rules: [{host: localhost}]
                """;
        Map<String, String> environment = Map.of("PROXY_MANAGEMENT_API_KEY", KEY, "THE_TOKEN", "the real value of it");
        try (Managed managed = Managed.start(folder, transforms, environment)) {
            String text = managed.ask("GET", "/v1/config").body();

            assertThat(text).doesNotContain("the real value of it").doesNotContain(KEY);
            JsonNode config = Managed.json(text);
            assertThat(config.at("/proxy/max_request_body_bytes").asLong()).isEqualTo(1048576);
            assertThat(config.at("/proxy/https_listen").asText()).isEqualTo("disabled");
            assertThat(config.at("/proxy/upstream_response_header_timeout").asText())
                    .isEqualTo("30s");
            assertThat(config.at("/management/api_key_env").asText()).isEqualTo("PROXY_MANAGEMENT_API_KEY");
            assertThat(config.at("/transforms/0/config/rules/0").toString())
                    .isEqualTo("{\"host\":\"a.test\",\"methods\":[\"GET\"]}");
            assertThat(config.at("/transforms/1/config/secrets/0/source").toString())
                    .isEqualTo("{\"type\":\"env\",\"var\":\"THE_TOKEN\",\"value\":\"***\"}");
            assertThat(config.at("/transforms/1/config/secrets/0/replace/proxy_value")
                            .asText())
                    .isEqualTo("placeholder-of-it");
        }
    }

    // Audit.

    // Explain.

    @Test
    void explain_says_what_would_become_of_a_request() throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            JsonNode allowed = managed.post("/v1/explain", "{'method': 'GET', 'url': 'http://localhost/x'}", 200);
            assertThat(allowed.get("verdict").asText()).isEqualTo("allow");
            JsonNode refused = managed.post("/v1/explain", "{'method': 'GET', 'url': 'http://other.example/'}", 200);
            assertThat(refused.get("verdict").asText()).isEqualTo("reject");
            assertThat(refused.get("rejected_by").asText()).isEqualTo("allowlist");
            assertThat(managed.json("GET", "/v1/audit/recent", 200).get("data")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"400 | bad_request | {", "422 | validation_error | {'method': 'GET'}"})
    void explain_names_what_is_wrong_with_the_question(int status, String code, String body) throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            assertThat(managed.post("/v1/explain", body, status)
                            .get("error")
                            .get("code")
                            .asText())
                    .isEqualTo(code);
        }
    }

    @Test
    void recent_records_are_filtered_newest_first() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                Managed managed = Managed.start(folder, OPEN)) {
            String local = "localhost:" + origin.port();
            visit(managed, local, "/first");
            visit(managed, "elsewhere.test", "/second");
            visit(managed, local, "/third");

            assertThat(paths(managed.json("GET", "/v1/audit/recent", 200)))
                    .containsExactly("/third", "/second", "/first");
            assertThat(paths(managed.json("GET", "/v1/audit/recent?limit=1", 200)))
                    .containsExactly("/third");
            assertThat(paths(managed.json("GET", "/v1/audit/recent?action=reject", 200)))
                    .containsExactly("/second");
            assertThat(paths(managed.json("GET", "/v1/audit/recent?host=LocalHost", 200)))
                    .containsExactly("/third", "/first");
            assertThat(paths(managed.json("GET", "/v1/audit/recent?host=*.test&action=reject", 200)))
                    .containsExactly("/second");
            assertThat(paths(managed.json("GET", "/v1/audit/recent?workload=nobody", 200)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, limit",
        "limit=1001, limit",
        "limit=x, limit",
        "limit=1&limit=2, limit",
        "follow=yes, follow",
        "action=denied, action",
        "host=a**b%00, host",
        "hots=a, hots"
    })
    void a_wrong_parameter_422_validation_error(String query, String field) throws Exception {
        try (Managed managed = Managed.start(folder, OPEN)) {
            JsonNode error =
                    managed.json("GET", "/v1/audit/recent?" + query, 422).get("error");
            assertThat(error.get("code").asText()).isEqualTo("validation_error");
            assertThat(error.at("/fields/0/field").asText()).isEqualTo(field);
            assertThat(error.at("/fields/0/message").asText()).contains("expected: ");
        }
    }

    @Test
    void records_can_be_followed() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                Managed managed = Managed.start(folder, OPEN);
                Wire follower = managed.connect()) {
            String local = "localhost:" + origin.port();
            visit(managed, local, "/before");
            visit(managed, local, "/last");
            follower.send(request("GET", "/v1/audit/recent?follow=true&limit=1&host=localhost"));
            assertThat(follower.readHead()).contains("text/event-stream");
            assertThat(next(follower)).isEqualTo("/last");

            visit(managed, "elsewhere.test", "/filtered");
            visit(managed, local, "/after");

            assertThat(next(follower)).isEqualTo("/after");
        }
    }

    // The guide.

    @Test
    void the_commands_of_the_guide_work() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v curl").start().waitFor() == 0, "no curl");
        List<String> commands = Files.readAllLines(Path.of("../docs/management.md")).stream()
                .filter(line -> line.startsWith("curl "))
                .toList();
        assertThat(commands).hasSize(5);
        try (Managed managed = Managed.start(folder, OPEN)) {
            String address = "127.0.0.1:" + managed.server.managementAddress().getPort();
            for (String command : commands) {
                ProcessBuilder builder = new ProcessBuilder("sh", "-c", command.replace("127.0.0.1:9091", address))
                        .redirectErrorStream(true);
                builder.environment().put("PROXY_MANAGEMENT_API_KEY", KEY);
                builder.environment().put("no_proxy", "127.0.0.1");
                Process process = builder.start();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor()).as(command + "\n" + said).isZero();
                if (!command.contains("follow=true")) {
                    assertThat(Managed.json(said).isObject()).as(said).isTrue();
                }
            }
            assertThat(managed.server.proxy().generation()).isEqualTo(2);
        }
    }

    private static String next(Wire follower) throws Exception {
        follower.readThrough("event: record\n");
        String data = follower.readThrough("\n\n");
        return Managed.json(data.substring("data: ".length())).at("/audit/path").asText();
    }

    /** Sends a request through the proxy, and waits for its record. */
    private static void visit(Managed managed, String authority, String path) throws Exception {
        try (Wire client = Wire.to(managed.server.proxy().httpAddress())) {
            client.send("GET " + path + " HTTP/1.1\r\nHost: " + authority + "\r\nConnection: close\r\n\r\n");
            client.message();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!managed.ask("GET", "/v1/audit/recent").body().contains("\"path\":\"" + path + "\"")) {
            assertThat(System.nanoTime()).as("the record of " + path).isLessThan(end);
        }
    }

    private static Iterable<String> paths(JsonNode list) {
        return list.get("data").findValuesAsText("path");
    }

    private static JsonNode error(Wire.Message answer) throws IOException {
        assertThat(answer.field("Content-Type")).isEqualTo("application/json");
        assertThat(answer.body().getBytes(StandardCharsets.UTF_8)).isNotEmpty();
        return Managed.json(answer.body()).get("error");
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new HashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
