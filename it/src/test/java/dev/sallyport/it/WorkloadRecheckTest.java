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
 * What an update of one workload does to what is under way: it is ended, with a record, where the workload's policy
 * refuses it now, and nobody else's is touched (docs/spec/decisions.md, section 16). Connections of one come from
 * 127.0.0.8, those of the other from 127.0.0.9.
 */
@Timeout(60)
class WorkloadRecheckTest {

    private static final String CHANGED =
            "policy_changed: the workload's policy refuses what an earlier one had admitted";

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
        Tenants.applyAll(
                proxy,
                PipelineUpdate.builder()
                        .upsert(at("one", "127.0.0.8", "localhost", "127.0.0.1"))
                        .upsert(at("other", "127.0.0.9", "localhost", "127.0.0.1")));
    }

    @AfterEach
    void close() {
        done.countDown();
        proxy.close();
    }

    private static WorkloadSpec at(String name, String address, String... hosts) {
        return WorkloadSpec.builder(name)
                .sourceCidr(address)
                .pipeline(PipelineSpec.of(
                        "transforms: [{name: allowlist, config: {domains: ['" + String.join("', '", hosts) + "']}}]"))
                .build();
    }

    private Wire one() throws Exception {
        return Tenants.from("127.0.0.8", proxy.proxy().tunnelAddress());
    }

    private Wire other() throws Exception {
        return Tenants.from("127.0.0.9", proxy.proxy().tunnelAddress());
    }

    /** The policy of the one no longer allows any of the test's origins. */
    private void refuse() throws Exception {
        Tenants.applyAll(proxy, PipelineUpdate.builder().upsert(at("one", "127.0.0.8", "elsewhere.test")));
    }

    private JsonNode refusal() throws Exception {
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/workload").asText()).isEqualTo("one");
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/rejected_by").asText()).isEqualTo("allowlist");
        assertThat(record.at("/error").asText()).isEqualTo(CHANGED);
        return record;
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
    void anEventStream() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events, this::events);
                Wire one = one();
                Wire other = other()) {
            begin(one, origin.authority());
            begin(other, origin.authority());

            refuse();

            assertThat(one.readToEnd()).doesNotContain("0\r\n\r\n");
            refusal();
            done.countDown();
            assertThat(other.readThrough("0\r\n\r\n")).contains("data: 2");
        }
    }

    /** A rule for a name says nothing of a request that is known to go to an address. */
    @Test
    void anEventStreamOfAnAddressAlthoughSomeNameIsAllowed() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                Wire one = one()) {
            assertThat(origin.authority()).startsWith("127.0.0.1:");
            begin(one, origin.authority());

            refuse();

            assertThat(one.readToEnd()).doesNotContain("0\r\n\r\n");
            refusal();
        }
    }

    @Test
    void aWebSocket() throws Exception {
        TestOrigin.Script agrees = peer -> {
            peer.send(WebSocketFrames.agreement(peer.readHead()));
            done.await();
            peer.send("still here");
        };
        try (TestOrigin origin = TestOrigin.of(agrees, agrees);
                Wire one = one();
                Wire other = other()) {
            for (Wire client : new Wire[] {one, other}) {
                connect(client, origin);
                client.send(WebSocketFrames.opening("/chat", "localhost:" + origin.port()));
                assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            }

            refuse();

            assertEnds(one);
            assertThat(refusal().at("/audit/status_code").asInt()).isEqualTo(101);
            done.countDown();
            assertThat(other.read("still here".length())).isEqualTo("still here");
        }
    }

    @Test
    void anIdleTunnel() throws Exception {
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(TestOrigin.ok("hello")));
                Wire one = one();
                Wire other = other()) {
            connect(one, origin);
            connect(other, origin);

            refuse();

            assertEnds(one);
            assertThat(refusal().at("/audit/method").asText()).isEqualTo("CONNECT");
            assertThat(other.get("/", "localhost:" + origin.port()).status()).isEqualTo(200);
        }
    }

    @Test
    void aStreamOfHttp2() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events, this::events);
                Wire one = one();
                Wire other = other()) {
            connect(one, origin);
            connect(other, origin);
            Http2Peer mine = Http2Peer.connect(one.tls(certificates.client, "localhost", "h2"));
            Http2Peer theirs = Http2Peer.connect(other.tls(certificates.client, "localhost", "h2"));
            String[] request = {
                ":method", "GET", ":scheme", "https", ":authority", "localhost:" + origin.port(), ":path", "/events"
            };
            mine.headers(1, true, request);
            theirs.headers(1, true, request);
            assertThat(mine.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");
            assertThat(theirs.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");

            refuse();

            assertThat(mine.next(Http2Peer.RST_STREAM).stream()).isEqualTo(1);
            assertThat(mine.next(Http2Peer.GOAWAY)).isNotNull();
            refusal();
            assertThat(refusal().at("/audit/method").asText()).isEqualTo("CONNECT");
            done.countDown();
            assertThat(theirs.next(Http2Peer.DATA).text()).isEqualTo("data: 2\n\n");
        }
    }

    /** Whose caller is told otherwise, because a new workload has its address. */
    @Test
    void aStreamOfACallerWhomANewWorkloadTakesOver() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events, this::events, this::events);
                Wire unclaimed = proxy.tunnel();
                Wire one = one();
                Wire other = other()) {
            begin(unclaimed, origin.authority());
            begin(one, origin.authority());
            begin(other, origin.authority());

            // when
            Tenants.applyAll(proxy, PipelineUpdate.builder().upsert(at("new", "127.0.0.1", "elsewhere.test")));

            // then
            assertThat(unclaimed.readToEnd()).doesNotContain("0\r\n\r\n");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/workload").asText()).isEmpty();
            assertThat(record.at("/error").asText()).isEqualTo(CHANGED);

            // when
            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder()
                            .upsert(at("newer", "127.0.0.8/32", "elsewhere.test"))
                            .remove("one"));

            // then
            assertThat(one.readToEnd()).doesNotContain("0\r\n\r\n");
            refusal();
            done.countDown();
            assertThat(other.readThrough("0\r\n\r\n")).contains("data: 2");
        }
    }
}
