package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the deletion of a secret does to what is under way (docs/spec/decisions.md, section 16): what carries the secret
 * ends, with a record, and nothing else does. Connections of one come from 127.0.0.8, those of the other from 127.0.0.9.
 */
@Timeout(60)
class DeletedSecretsTest {

    private static final String KEY = "X-Key: " + Tenants.PLACEHOLDER;
    private static final String[] HOSTS = {"localhost", "127.0.0.1"};

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private TestCertificates certificates;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        certificates = new TestCertificates(folder);
        proxy = TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .start();
        PipelineUpdate.Builder update = PipelineUpdate.builder()
                .upsert(at("one", "127.0.0.8", Tenants.pipeline("first", HOSTS)))
                .upsert(at("other", "127.0.0.9", Tenants.pipeline("second", HOSTS)));
        Tenants.secret(update, "first");
        Tenants.secret(update, "second");
        Tenants.applyAll(proxy, update);
    }

    @AfterEach
    void close() {
        done.countDown();
        proxy.close();
    }

    private static WorkloadSpec at(String name, String address, PipelineSpec pipeline) {
        return WorkloadSpec.builder(name).sourceCidr(address).pipeline(pipeline).build();
    }

    /** Lets its callers through, without any secret. */
    private static WorkloadSpec open(String name, String address) {
        return at(
                name,
                address,
                PipelineSpec.of(
                        "transforms: [{name: allowlist, config: {domains: ['" + String.join("', '", HOSTS) + "']}}]"));
    }

    private Wire one() throws Exception {
        return Tenants.from("127.0.0.8", proxy.proxy().tunnelAddress());
    }

    private Wire other() throws Exception {
        return Tenants.from("127.0.0.9", proxy.proxy().tunnelAddress());
    }

    private void delete() throws Exception {
        Tenants.applyAll(proxy, PipelineUpdate.builder().removeSecret("first"));
    }

    private JsonNode refusal() throws Exception {
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/workload").asText()).isEqualTo("one");
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/rejected_by").asText()).isEqualTo("secrets");
        return record;
    }

    private void assertEnded(Wire client) throws Exception {
        assertThat(client.readToEnd()).doesNotContain("0\r\n\r\n");
        assertThat(refusal().at("/error").asText())
                .isEqualTo("secret_unavailable: a credential that it carries was deleted");
    }

    /** Sends an event and goes on. */
    private void events(Wire peer) throws Exception {
        peer.readHead();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.chunk("data: 1\n\n");
        done.await();
        peer.chunk("data: 2\n\n").send("0\r\n\r\n");
    }

    private static void begin(Wire client, String authority, String... lines) throws Exception {
        client.send("GET http://" + authority + "/ HTTP/1.1\r\nHost: " + authority + "\r\n"
                        + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n")
                .readHead();
        client.readThrough("data: 1\n\n");
    }

    private static void connect(Wire client, TestOrigin origin) throws Exception {
        client.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
        assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void anEventStream() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events, this::events, this::events);
                Wire one = one();
                Wire without = one();
                Wire other = other()) {
            begin(one, origin.authority(), KEY);
            begin(without, origin.authority());
            begin(other, origin.authority(), KEY);

            delete();

            assertEnded(one);
            done.countDown();
            assertThat(without.readThrough("0\r\n\r\n")).contains("data: 2");
            assertThat(other.readThrough("0\r\n\r\n")).contains("data: 2");
        }
    }

    /** The policy that put the secret in has gone before: nothing of it is left but what the stream remembers. */
    @Test
    void anEventStreamOfAPolicyThatIsNoMore() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                Wire one = one()) {
            begin(one, origin.authority(), KEY);
            Tenants.applyAll(proxy, PipelineUpdate.builder().upsert(open("one", "127.0.0.8")));

            delete();

            assertEnded(one);
        }
    }

    /** As the control plane deletes a secret: the policy that does without it comes in the same update. */
    @Test
    void anEventStreamOfAPolicyThatIsReplacedInTheSameUpdate() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                Wire one = one()) {
            begin(one, origin.authority(), KEY);

            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder().upsert(open("one", "127.0.0.8")).removeSecret("first"));

            assertEnded(one);
        }
    }

    /** What comes back under its id is no longer what the stream was opened with. */
    @Test
    void anEventStreamAlthoughTheSecretComesBackAtOnce() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events, this::events);
                Wire one = one();
                Wire again = one()) {
            begin(one, origin.authority(), KEY);

            delete();
            Tenants.applyAll(proxy, Tenants.secret(PipelineUpdate.builder(), "first"));

            assertEnded(one);
            begin(again, origin.authority(), KEY);
            Tenants.applyAll(proxy, PipelineUpdate.builder().removeSecret("second"));
            done.countDown();
            assertThat(again.readThrough("0\r\n\r\n")).contains("data: 2");
        }
    }

    @Test
    void aWebSocket() throws Exception {
        TestOrigin.Script agrees = peer -> {
            peer.send(WebSocketFrames.agreement(peer.readHead()));
            done.await();
            peer.send(WebSocketFrames.text("still here", false));
        };
        try (TestOrigin origin = TestOrigin.of(agrees, agrees);
                Wire one = one();
                Wire other = other()) {
            for (Wire client : new Wire[] {one, other}) {
                connect(client, origin);
                client.send(WebSocketFrames.opening("/chat", "localhost:" + origin.port(), KEY));
                assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            }

            delete();

            assertCut(one);
            assertThat(refusal().at("/audit/status_code").asInt()).isEqualTo(101);
            done.countDown();
            assertThat(other.read(2 + "still here".length())).endsWith("still here");
        }
    }

    private static void assertCut(Wire client) {
        try {
            while (client.in().read() >= 0) {
                // what was sent before
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    /** The tunnel around it carries no secret, and stays. */
    @Test
    void aStreamOfHttp2() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events, this::events);
                Wire one = one()) {
            connect(one, origin);
            Http2Peer mine = Http2Peer.connect(one.tls(certificates.client, "localhost", "h2"));
            String authority = "localhost:" + origin.port();
            mine.headers(
                    1,
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "https",
                    ":authority",
                    authority,
                    ":path",
                    "/events",
                    "x-key",
                    Tenants.PLACEHOLDER);
            mine.headers(3, true, ":method", "GET", ":scheme", "https", ":authority", authority, ":path", "/events");
            assertThat(mine.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");
            assertThat(mine.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");

            delete();

            assertThat(mine.next(Http2Peer.RST_STREAM).stream()).isEqualTo(1);
            refusal();
            done.countDown();
            assertThat(mine.next(Http2Peer.DATA).text()).isEqualTo("data: 2\n\n");
        }
    }

    @Test
    void aRequestThatIsNotAnsweredYet() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        TestOrigin.Script silent = peer -> {
            peer.readHead();
            asked.countDown();
            done.await();
        };
        try (TestOrigin origin = TestOrigin.of(silent);
                Wire one = one()) {
            one.send(head("GET http://" + origin.authority() + "/ HTTP/1.1", "Host: " + origin.authority(), KEY));
            asked.await();

            delete();

            Wire.Message refused = one.message();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable");
            refusal();
        }
    }
}
