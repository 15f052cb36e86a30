package dev.sallyport.it.control;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * docs/spec/decisions.md, sections 15 ("Audit events from traffic records") and 15a ("Egress"): what {@code GET
 * /v1/audit/egress} tells of real traffic, of the proxy in the same process and of one elsewhere.
 */
@Timeout(180)
class EgressEventsTest {

    private static final String RULES = "/v1/egress/rules?wait=applied&timeout=20s";
    private static final String SECRET = "s3cr3t-0123456789";

    @TempDir
    Path folder;

    private TestCertificates certificates;
    private TestOrigin plain;
    private TestOrigin secure;
    private ControlSite site;
    private TestProxy proxy;
    private ControlApi api;

    /** Where the proxy is. */
    enum Place {
        SAME_PROCESS,
        ELSEWHERE
    }

    @BeforeEach
    void begin() throws Exception {
        certificates = new TestCertificates(folder);
        plain = TestOrigin.handling(request -> TestOrigin.ok("hello"));
        secure = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
    }

    private void start(Place place, String... more) throws Exception {
        TestProxy.Builder builder = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog());
        if (place == Place.ELSEWHERE) {
            site = new ControlSite(folder.resolve("control"));
            api = site.signUp();
            ControlSite.Made made = ControlSite.proxy(api, "p");
            proxy = builder.environment(Map.of(ControlSite.TOKEN, made.token(), "UPSTREAM_KEY", SECRET))
                    .sections(site.section("spool_dir: " + folder.resolve("proxy/spool")) + String.join("", more))
                    .start();
        } else {
            int port = Ports.unused();
            proxy = builder.environment(Map.of("UPSTREAM_KEY", SECRET))
                    .sections("control:\n  listen: 127.0.0.1:" + port + "\n  state_dir: " + folder.resolve("state")
                            + "\n" + String.join("", more))
                    .start();
            api = ControlApi.signUp(port);
        }
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    @AfterEach
    void end() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        if (site != null) {
            site.close();
        }
        plain.close();
        secure.close();
    }

    private List<JsonNode> events(String query) throws Exception {
        return List.copyOf(api.send("GET", "/v1/audit/egress?order=asc" + query, "", 200)
                .path("data")
                .valueStream()
                .toList());
    }

    /** The only event there is, once it is there. */
    private JsonNode event() {
        return await().atMost(Patience.usual())
                .until(() -> events(""), list -> !list.isEmpty())
                .getFirst();
    }

    private static void assertEvent(
            JsonNode event, String host, String protocol, String verdict, boolean allowed, String mode) {
        assertThat(event.path("host").asText()).as(event.toString()).isEqualTo(host);
        assertThat(event.path("protocol").asText()).as(event.toString()).isEqualTo(protocol);
        assertThat(event.path("verdict").asText()).as(event.toString()).isEqualTo(verdict);
        assertThat(event.path("allowed").asBoolean()).as(event.toString()).isEqualTo(allowed);
        assertThat(event.path("mode").asText()).as(event.toString()).isEqualTo(mode);
        assertThat(event.path("vm_id").isNull()).isTrue();
    }

    private void warn() throws Exception {
        api.send("PUT", "/v1/egress/policy?wait=applied&timeout=20s", "{\"mode\": \"warn\"}", 200);
        assertThat(api.applied()).isEqualTo("true");
    }

    private void rule(String json) throws Exception {
        api.send("POST", RULES, json, 201);
        assertThat(api.applied()).isEqualTo("true");
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void whatIsRefusedIsDeniedAndNotAllowed(Place place) throws Exception {
        start(place);
        Instant before = Instant.now().minusMillis(5);

        assertThat(proxy.get(plain, "/").status()).isEqualTo(403);

        JsonNode event = event();
        assertEvent(event, "127.0.0.1", "http", "denied", false, "enforce");
        assertThat(event.path("cidr").isNull()).isTrue();
        assertThat(event.path("replacements")).isEmpty();
        assertThat(Instant.parse(event.path("timestamp").asText())).isBetween(before, Instant.now());
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void whatAHostsRuleLetsThroughIsAllowed(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"127.0.0.1\"}");

        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);

        JsonNode event = event();
        assertEvent(event, "127.0.0.1", "http", "allowed", true, "enforce");
        assertThat(event.path("cidr").isNull()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void theRangeThatMatchedIsTold(Place place) throws Exception {
        start(place);
        rule("{\"cidr\": \"127.0.0.0/8\"}");

        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);

        JsonNode event = event();
        assertEvent(event, "127.0.0.1", "http", "allowed", true, "enforce");
        assertThat(event.path("cidr").asText()).isEqualTo("127.0.0.0/8");
        assertThat(events("&cidr=127.0.0.0/8")).hasSize(1);
    }

    /** So warn mode gives verdict denied, allowed true. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void underWarnWhatNoRuleNamesIsDeniedAndAllowed(Place place) throws Exception {
        start(place);
        warn();

        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);

        assertEvent(event(), "127.0.0.1", "http", "denied", true, "warn");
    }

    /** The mode at event time, also where a rule matched. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void underWarnWhatARuleNamesIsAllowed(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"127.0.0.1\"}");
        warn();

        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);

        assertEvent(event(), "127.0.0.1", "http", "allowed", true, "warn");
    }

    /** tls for intercepted TLS: one event for each request, none for the tunnel. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void interceptedTlsIsTls(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"localhost\"}");
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + secure.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire inside = tunnel.tls(certificates.client, "localhost")) {
                for (int i = 0; i < 2; i++) {
                    assertThat(inside.get("/" + i, "localhost").status()).isEqualTo(200);
                }
            }
        }

        await().atMost(Patience.usual()).until(() -> events("").size() == 2);
        assertEvent(event(), "localhost", "tls", "allowed", true, "enforce");
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void aTunnelThatIsRefusedIsDenied(Place place) throws Exception {
        start(place);
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT elsewhere.test:443 HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 403 ");
        }

        assertEvent(event(), "elsewhere.test", "tls", "denied", false, "enforce");
    }

    /** tcp for the rest: enforce relays it inside a range and else closes it, warn relays it everywhere. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void whatIsNeitherHttpNorTlsIsTcp(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"localhost\"}");
        assertEvent(ofSsh("localhost", 1), "localhost", "tcp", "denied", false, "enforce");

        rule("{\"cidr\": \"127.0.0.0/8\"}");
        assertEvent(ofSsh("127.0.0.1", 2), "127.0.0.1", "tcp", "allowed", true, "enforce");

        warn();
        assertEvent(ofSsh("localhost", 3), "localhost", "tcp", "denied", true, "warn");
    }

    private JsonNode ofSsh(String host, int number) throws Exception {
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + host + ":" + plain.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            tunnel.send("SSH-2.0-OpenSSH_9.2\r\n").endOutput().readToEnd();
        }
        return await().atMost(Patience.usual())
                .until(() -> events(""), list -> list.size() == number)
                .getLast();
    }

    /** Allowed by egress and refused later by something else: verdict allowed, allowed false. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void whatTheEgressPolicyAllowsAndSomethingElseRefusesIsAllowedInVerdictAlone(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"127.0.0.1\"}");
        api.send(
                "POST",
                "/v1/policies/secrets?wait=applied&timeout=20s",
                "{\"name\": \"key\", \"priority\": 1, \"mode\": \"inject\", \"source\": {\"var\": \"NOT_SET\"}, \"inject_config\": {\"header\": \"Authorization\"}}",
                201);

        assertThat(proxy.get(plain, "/").body()).contains("secret_unavailable");

        assertEvent(event(), "127.0.0.1", "http", "allowed", false, "enforce");
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void whatBecameOfTheDialIsToldApartFromTheVerdict(Place place) throws Exception {
        start(place);
        assertThat(proxy.get(plain, "/").status()).isEqualTo(403);
        rule("{\"host\": \"127.0.0.1\"}");
        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);
        plain.close();
        assertThat(proxy.get(plain, "/").status()).isEqualTo(502);

        await().atMost(Patience.usual()).until(() -> events("").size() == 3);
        assertThat(events("&verdict=denied").getFirst().path("dial").isNull()).isTrue();
        assertThat(events("&dial=connected")).hasSize(1);
        List<JsonNode> failed = events("&dial=failed");
        assertThat(failed).hasSize(1);
        assertEvent(failed.getFirst(), "127.0.0.1", "http", "allowed", true, "enforce");
    }

    /** Every replacement is recorded, with target host, protocol and timestamp. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void replacementsAreTold(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"127.0.0.1\"}");
        api.send(
                "POST",
                "/v1/policies/secrets?wait=applied&timeout=20s",
                "{\"name\": \"path\", \"priority\": 1, \"mode\": \"replace\", \"source\": {\"var\": \"UPSTREAM_KEY\"}, \"replace_config\": {\"proxy_value\": \"bot-token\"}}",
                201);
        assertThat(api.applied()).isEqualTo("true");

        assertThat(proxy.get(plain, "/bot-token").status()).isEqualTo(200);

        JsonNode replacements = event().path("replacements");
        assertThat(replacements).hasSize(1);
        assertThat(replacements.at("/0/secret").asText()).isEqualTo("UPSTREAM_KEY");
        assertThat(replacements.at("/0/location").asText()).isEqualTo("path");
        assertThat(events("").toString()).doesNotContain(SECRET);
    }

    /** What was let through and is cut off because the policy changed is denied. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void whatAChangeOfThePolicyEndsIsDenied(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"localhost\"}");
        String rule =
                api.send("GET", "/v1/egress/rules", "", 200).at("/data/0/id").asText();
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + secure.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");

            api.send("DELETE", "/v1/egress/rules/" + rule, "", 204);
            assertThat(tunnel.readToEnd()).isEmpty();
        }

        assertEvent(event(), "localhost", "tls", "denied", false, "enforce");
    }

    /** A workload chooses the names of header fields and parameters: none makes its event vanish. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void longNamesThatAWorkloadSendsDoNotEraseItsEvent(Place place) throws Exception {
        start(place, """
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: UPSTREAM_KEY}
                          replace: {proxy_value: bot-token, match_query: true}
                          rules: [{host: 127.0.0.1}]
                """);
        rule("{\"host\": \"127.0.0.1\"}");

        assertThat(proxy.get(
                                plain,
                                "/first?" + "q".repeat(4000) + "=bot-token",
                                "X-" + "h".repeat(5000) + ": bot-token")
                        .status())
                .isEqualTo(200);
        assertThat(proxy.get(plain, "/second").status()).isEqualTo(200);

        await().atMost(Patience.usual()).until(() -> events("").size() == 2);
        List<String> locations = event().path("replacements").findValuesAsText("location");
        assertThat(locations).hasSize(2).allMatch(location -> location.length() == 1024 && location.endsWith("\u2026"));
        assertThat(locations).anyMatch(location -> location.startsWith("query:qqq"));
        assertThat(locations).anyMatch(location -> location.startsWith("header:X-H"));
    }

    /** What the proxy itself serves or refuses under its own name is no request to the outside. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void theProxysOwnSiteHasNoEvents(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"127.0.0.1\"}");
        try (Wire client = proxy.http()) {
            assertThat(client.get("/", "sallyport.internal").status()).isEqualTo(200);
            assertThat(client.get("/nothing", "sallyport.internal").status()).isEqualTo(404);
        }
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT sallyport.internal:443 HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        }
        assertThat(proxy.get(plain, "/").status()).isEqualTo(200);

        assertEvent(event(), "127.0.0.1", "http", "allowed", true, "enforce");
        TimeUnit.MILLISECONDS.sleep(500); // the end of the tunnel
        assertThat(events("")).hasSize(1);
    }

    /** A tunnel that was let through and that nobody used was let through. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void aTunnelThatNobodyUsedIsAllowed(Place place) throws Exception {
        start(place);
        rule("{\"host\": \"localhost\"}");
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + secure.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        }

        assertEvent(event(), "localhost", "tls", "allowed", true, "enforce");
    }
}
