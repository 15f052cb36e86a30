package dev.sallyport.it.control;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** docs/spec/resource-api.md, section "Secret proxying rules", and docs/spec/decisions.md, section 15a "Secrets", through traffic. */
@Timeout(180)
class StoredSecretsTest {

    private static final Logger LOG = LoggerFactory.getLogger(StoredSecretsTest.class);
    private static final String VALUE = "s3cr3t-0123456789";
    private static final String OTHER = "an0ther-9876543210";
    private static final String WAIT = "?wait=applied&timeout=20s";

    /** Where the proxy is. */
    enum Place {
        EMBEDDED,
        REMOTE
    }

    @TempDir
    Path folder;

    private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
    private TestCertificates certificates;
    private TestOrigin origin;
    private TestOrigin secure;
    private ControlSite site;
    private ControlApi api;
    private TestProxy proxy;

    @BeforeEach
    void origins() throws Exception {
        certificates = new TestCertificates(folder);
        TestOrigin.Handler noting = request -> {
            heads.add(request.head());
            return TestOrigin.ok("ok");
        };
        origin = TestOrigin.handling(noting);
        secure = TestOrigin.tls(certificates.origin, TestOrigin.always(noting), TestOrigin.always(noting));
    }

    private void begin(Place place) throws Exception {
        TestProxy.Builder builder = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog());
        if (place == Place.EMBEDDED) {
            int port = Ports.unused();
            proxy = builder.sections("control: {listen: \"127.0.0.1:" + port + "\", state_dir: "
                            + folder.resolve("state") + "}\n")
                    .start();
            api = ControlApi.signUp(port);
        } else {
            site = new ControlSite(folder.resolve("control"));
            api = site.signUp();
            proxy = builder.environment(Map.of(
                            ControlSite.TOKEN, ControlSite.proxy(api, "p").token()))
                    .sections(site.section())
                    .start();
        }
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
        api.send(
                "POST",
                "/v1/policies/network" + WAIT,
                ControlApi.network("origin", "127.0.0.1", "localhost", "*.localhost"),
                201);
    }

    @AfterEach
    void end() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        if (site != null) {
            site.close();
        }
        origin.close();
        secure.close();
    }

    private String secret(String name, String value, String hosts) throws Exception {
        String id = api.send(
                        "POST",
                        "/v1/secrets" + WAIT,
                        "{\"name\": \"" + name + "\", \"secret\": \"" + value + "\", \"env_var\": \"" + name
                                + "\", \"hosts\": " + hosts + "}",
                        201)
                .path("id")
                .asText();
        assertThat(api.applied()).isEqualTo("true");
        return "/v1/secrets/" + id;
    }

    /** What the origin gets of a request with these header fields. */
    private String received(String... fields) throws Exception {
        assertThat(proxy.get(origin, "/", fields).status()).isEqualTo(200);
        return heads.take();
    }

    private static String field(String head, String name) {
        return Wire.field(head, name);
    }

    /** The proxy scans all headers, for every secret, and Basic credentials too. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void aPlaceholderIsReplacedInEveryHeader(Place place) throws Exception {
        begin(place);
        secret("KEY", VALUE, "[\"*\"]");

        String head = received(
                "Authorization: Bearer SALLYPORT_PROXY_KEY",
                "X-Any: a SALLYPORT_PROXY_KEY b SALLYPORT_PROXY_KEY",
                "Cookie: k=SALLYPORT_PROXY_KEY");

        assertThat(field(head, "Authorization")).isEqualTo("Bearer " + VALUE);
        assertThat(field(head, "X-Any")).isEqualTo("a " + VALUE + " b " + VALUE);
        assertThat(field(head, "Cookie")).isEqualTo("k=" + VALUE);
        JsonNode record = proxy.record();
        assertThat(record.toString()).doesNotContain(VALUE);
        assertThat(record.findPath("swapped").findPath("secret").asText()).matches("org_[a-z0-9]+/sec_[a-z0-9]+/KEY");
    }

    /** docs/spec/resource-api.md, section "Secret proxying rules", rule 8: with target host, protocol and timestamp. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void everyReplacementIsInTheAuditOfItsAccount(Place place) throws Exception {
        begin(place);
        String secret = secret("KEY", VALUE, "[\"127.0.0.1\"]");
        Instant before = Instant.now().minusMillis(5);
        received("Authorization: Bearer SALLYPORT_PROXY_KEY", "X-Any: SALLYPORT_PROXY_KEY");

        JsonNode event = event();
        assertThat(event.path("host").asText()).isEqualTo("127.0.0.1");
        assertThat(event.path("protocol").asText()).isEqualTo("http");
        assertThat(Instant.parse(event.path("timestamp").asText())).isBetween(before, Instant.now());
        JsonNode replacements = event.path("replacements");
        assertThat(replacements.findValuesAsText("location"))
                .containsExactlyInAnyOrder("header:Authorization", "header:X-Any");
        String id = secret.substring("/v1/secrets/".length());
        assertThat(replacements.findValuesAsText("secret"))
                .hasSize(2)
                .allMatch(name -> name.matches("org_[a-z0-9]+/" + id + "/KEY"));
        assertThat(event.toString()).doesNotContain(VALUE);
    }

    /** docs/spec/resource-api.md, section "Secret proxying rules", rule 6. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void whatTheEgressPolicyRefusesGetsNoValue(Place place) throws Exception {
        begin(place);
        secret("KEY", VALUE, "[\"*\"]");
        try (Wire client = proxy.http()) {
            assertThat(client.send(head("GET / HTTP/1.1", "Host: refused.test", "X-Key: SALLYPORT_PROXY_KEY"))
                            .message()
                            .status())
                    .isEqualTo(403);
        }

        JsonNode event = event();
        assertThat(event.path("host").asText()).isEqualTo("refused.test");
        assertThat(event.path("verdict").asText()).isEqualTo("denied");
        assertThat(event.path("replacements").isArray()).isTrue();
        assertThat(event.path("replacements")).isEmpty();
        assertThat(heads).isEmpty();
    }

    /** The only event there is, once it is there. */
    private JsonNode event() {
        return await().atMost(Patience.usual())
                .until(() -> api.send("GET", "/v1/audit/egress", "", 200).at("/data/0"), one -> !one.isMissingNode());
    }

    /** Hosts: an exact name, one label below a name, or all; elsewhere the placeholder is left unchanged. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void aPlaceholderIsReplacedAtItsHostsAlone(Place place) throws Exception {
        begin(place);
        secret("EXACT", VALUE, "[\"localhost\"]");
        secret("BELOW", OTHER, "[\"*.localhost\"]");

        assertThat(at("localhost")).isEqualTo(VALUE + " SALLYPORT_PROXY_BELOW");
        assertThat(at("a.localhost")).isEqualTo("SALLYPORT_PROXY_EXACT " + OTHER);
        assertThat(at("b.a.localhost")).isEqualTo("SALLYPORT_PROXY_EXACT SALLYPORT_PROXY_BELOW");
        assertThat(at("127.0.0.1")).isEqualTo("SALLYPORT_PROXY_EXACT SALLYPORT_PROXY_BELOW");
    }

    private String at(String host) throws Exception {
        try (Wire client = proxy.http()) {
            int status = client.send(head(
                            "GET / HTTP/1.1",
                            "Host: " + host + ":" + origin.port(),
                            "X-Key: SALLYPORT_PROXY_EXACT SALLYPORT_PROXY_BELOW"))
                    .message()
                    .status();
            assertThat(status).as(host).isEqualTo(200);
        }
        return field(heads.take(), "X-Key");
    }

    /** The placeholder of AB is never half replaced by the value of A, also when AB was deleted. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void aNameThatBeginsWithAnotherOneIsNotMistakenForIt(Place place) throws Exception {
        begin(place);
        secret("A", VALUE, "[\"*\"]");
        String longer = secret("AB", OTHER, "[\"*\"]");
        String both = "X-Key: SALLYPORT_PROXY_A SALLYPORT_PROXY_AB";
        assertThat(field(received(both), "X-Key")).isEqualTo(VALUE + " " + OTHER);

        api.send("DELETE", longer + WAIT, "", 204);

        assertThat(field(received(both), "X-Key")).isEqualTo(VALUE + " SALLYPORT_PROXY_AB");
    }

    /** PATCH rotates the value of running workloads within 2 s, on connections that are open; DELETE ends it. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void rotationAndDeletionReachOpenConnections(Place place) throws Exception {
        begin(place);
        String secret = secret("KEY", VALUE, "[\"*\"]");
        try (Wire plain = proxy.http();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + secure.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            Http2Peer peer = Http2Peer.connect(tunnel.tls(certificates.client, "localhost", "h2"));
            assertThat(over(plain)).isEqualTo(VALUE);
            assertThat(over(peer, 1)).isEqualTo(VALUE);

            long began = System.nanoTime();
            api.send("PATCH", secret + WAIT, "{\"secret\": \"" + OTHER + "\"}", 200);
            long rotated = System.nanoTime() - began;

            assertThat(api.applied()).isEqualTo("true");
            assertThat(over(plain)).isEqualTo(OTHER);
            assertThat(over(peer, 3)).isEqualTo(OTHER);

            began = System.nanoTime();
            api.send("DELETE", secret + WAIT, "", 204);
            long deleted = System.nanoTime() - began;

            assertThat(api.applied()).isEqualTo("true");
            assertThat(over(plain)).isEqualTo("SALLYPORT_PROXY_KEY");
            assertThat(over(peer, 5)).isEqualTo("SALLYPORT_PROXY_KEY");
            LOG.info(
                    "{}: rotated after {} ms, deleted after {} ms",
                    place,
                    TimeUnit.NANOSECONDS.toMillis(rotated),
                    TimeUnit.NANOSECONDS.toMillis(deleted));
        }
    }

    private String over(Wire client) throws Exception {
        client.send(head("GET / HTTP/1.1", "Host: " + origin.authority(), "X-Key: SALLYPORT_PROXY_KEY"));
        assertThat(client.message().status()).isEqualTo(200);
        return field(heads.take(), "X-Key");
    }

    private String over(Http2Peer peer, int stream) throws Exception {
        peer.headers(
                stream,
                true,
                ":method",
                "GET",
                ":scheme",
                "https",
                ":authority",
                "localhost:" + secure.port(),
                ":path",
                "/",
                "x-key",
                "SALLYPORT_PROXY_KEY");
        peer.answer(stream);
        return field(heads.take(), "X-Key");
    }

    /** Under warn a request goes on without credentials. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void underWarnWhatNoRuleLetsThroughGetsNoValue(Place place) throws Exception {
        begin(place);
        secret("KEY", VALUE, "[\"*\"]");
        api.send("PUT", "/v1/egress/policy" + WAIT, "{\"mode\": \"warn\"}", 200);
        JsonNode policies = api.send("GET", "/v1/policies/network", "", 200);
        api.send("DELETE", "/v1/policies/network/" + policies.at("/data/0/id").asText() + WAIT, "", 204);

        assertThat(field(received("X-Key: SALLYPORT_PROXY_KEY"), "X-Key")).isEqualTo("SALLYPORT_PROXY_KEY");
    }
}
