package dev.sallyport.it.control;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a change made through the API does to that which is under way at a proxy elsewhere. */
@Timeout(120)
class TighteningTest {

    private static final String NETWORK = "/v1/policies/network";
    private static final String SECRET = "s3cr3t-0123456789";

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private TestCertificates certificates;
    private ControlSite site;
    private ControlApi api;
    private ControlSite.Made made;
    private String policy;
    private TestProxy proxy;

    @BeforeEach
    void begin() throws Exception {
        certificates = new TestCertificates(folder);
        site = new ControlSite(folder.resolve("control"));
        api = site.signUp();
        made = ControlSite.proxy(api, "p");
        policy = api.create(NETWORK, ControlApi.network("origin", "127.0.0.1", "localhost"));
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token(), "UPSTREAM_KEY", SECRET))
                .sections(site.section())
                .start();
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    @AfterEach
    void end() throws IOException {
        done.countDown();
        proxy.close();
        site.close();
    }

    /** The policy no longer lets anything through to the test's origins. */
    private void tighten() throws Exception {
        api.send("PUT", policy, ControlApi.network("origin", "elsewhere.test"), 200);
    }

    private JsonNode ending() throws Exception {
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/error").asText()).startsWith("policy_changed");
        return record;
    }

    private void events(Wire peer) throws Exception {
        peer.readHead();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.chunk("data: 1\n\n");
        done.await();
    }

    private static void begin(Wire client, TestOrigin origin) throws Exception {
        client.send("GET http://" + origin.authority() + "/events HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n")
                .readHead();
        client.readThrough("data: 1\n\n");
    }

    private static void connect(Wire client, TestOrigin origin) throws Exception {
        client.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
        assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
    }

    private static void assertEnds(Wire client) {
        try {
            while (client.in().read() >= 0) {
                // what was sent before
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void anEventStreamEndsWhenThePolicyChanges() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                Wire client = proxy.tunnel()) {
            begin(client, origin);

            tighten();

            assertThat(client.readToEnd()).doesNotContain("0\r\n\r\n");
            ending();
        }
    }

    @Test
    void aWebSocketEndsWhenThePolicyIsInactive() throws Exception {
        TestOrigin.Script agrees = peer -> {
            peer.send(WebSocketFrames.agreement(peer.readHead()));
            done.await();
        };
        try (TestOrigin origin = TestOrigin.of(agrees);
                Wire client = proxy.tunnel()) {
            connect(client, origin);
            client.send(WebSocketFrames.opening("/chat", "localhost:" + origin.port()));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");

            api.send(
                    "PUT",
                    policy,
                    ControlApi.network("origin", "127.0.0.1", "localhost")
                            .replace("{\"name\"", "{\"active\": false, \"name\""),
                    200);

            assertEnds(client);
            assertThat(ending().at("/audit/status_code").asInt()).isEqualTo(101);
        }
    }

    @Test
    void anIdleTunnelEndsWhenThePolicyIsDeleted() throws Exception {
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(TestOrigin.ok("hello")));
                Wire client = proxy.tunnel()) {
            connect(client, origin);

            api.send("DELETE", policy, "", 204);

            assertEnds(client);
            assertThat(ending().at("/audit/method").asText()).isEqualTo("CONNECT");
        }
    }

    @Test
    void aStreamOfHttp2EndsAndItsConnectionIsTold() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events);
                Wire client = proxy.tunnel()) {
            connect(client, origin);
            Http2Peer peer = Http2Peer.connect(client.tls(certificates.client, "localhost", "h2"));
            peer.headers(
                    1,
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "https",
                    ":authority",
                    "localhost:" + origin.port(),
                    ":path",
                    "/events");
            assertThat(peer.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");

            tighten();

            assertThat(peer.next(Http2Peer.RST_STREAM).stream()).isEqualTo(1);
            assertThat(peer.next(Http2Peer.GOAWAY)).isNotNull();
            ending();
            assertThat(ending().at("/audit/method").asText()).isEqualTo("CONNECT");
        }
    }

    /** A connection that stays open does not keep a secret for its next request. */
    @Test
    void aSecretIsGoneFromOpenConnectionsWhenItsPolicyIsDeleted() throws Exception {
        try (TestOrigin origin =
                        TestOrigin.handling(request -> TestOrigin.ok("<" + Wire.field(request.head(), "X-Key") + ">"));
                Wire client = proxy.tunnel()) {
            String secret = api.create(
                    "/v1/policies/secrets",
                    "{\"name\": \"key\", \"priority\": 1, \"mode\": \"inject\", \"source\": {\"var\": \"UPSTREAM_KEY\"}, \"inject_config\": {\"header\": \"X-Key\"}}");
            api.send("PUT", policy + "?wait=applied&timeout=20s", ControlApi.network("origin", "localhost"), 200);
            connect(client, origin);
            String authority = "localhost:" + origin.port();
            assertThat(client.get("/", authority).body()).isNotEqualTo("<>");

            api.send("DELETE", secret + "?wait=applied&timeout=20s", "", 204);

            assertThat(client.get("/", authority).body()).isEqualTo("<>");
        }
    }

    /** 401 proxy_revoked: everything is refused, and what is under way ends. */
    @Test
    void everythingEndsWhenTheTokenOfTheProxyIsRevoked() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events, TestOrigin.always(TestOrigin.ok("hello")));
                Wire stream = proxy.tunnel();
                Wire tunnel = proxy.tunnel()) {
            begin(stream, origin);
            connect(tunnel, origin);

            api.send("DELETE", made.path(), "", 204);

            assertThat(stream.readToEnd()).doesNotContain("0\r\n\r\n");
            assertEnds(tunnel);
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
        }
    }
}
