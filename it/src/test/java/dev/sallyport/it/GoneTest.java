package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.StartException;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A connection that has closed under its exchange: the record says who closed it, and does not blame a client that waits. */
@Timeout(60)
class GoneTest {

    private static final String CUT_OFF = "shutdown: cut off by the end of the proxy";

    @TempDir
    Path folder;

    private final CountDownLatch asked = new CountDownLatch(1);

    private final TestOrigin.Script silent = peer -> {
        peer.readHead();
        asked.countDown();
        peer.readToEnd();
    };

    private TestProxy proxy(String... limits) throws StartException {
        return TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: []", "limits: {" + String.join(", ", limits) + "}")
                .start();
    }

    private static void assertEnded(JsonNode record, String action, String error) {
        assertThat(record.at("/audit/action").asText()).as(record.toString()).isEqualTo(action);
        assertThat(record.path("error").asText()).isEqualTo(error);
    }

    @Test
    void anExchangeIsCutOffByTheEndOfTheProxy() throws Exception {
        try (TestOrigin origin = TestOrigin.of(silent);
                TestProxy proxy = proxy("drain_timeout: 50ms");
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            asked.await();

            assertEnded(proxy.closeAndRecords().getFirst(), "error", CUT_OFF);
        }
    }

    @Test
    void aStreamIsCutOffByTheEndOfTheProxy() throws Exception {
        try (TestOrigin origin = TestOrigin.of(silent);
                TestProxy proxy = proxy("drain_timeout: 50ms");
                Wire wire = proxy.http()) {
            Http2Peer client = Http2Peer.connect(wire);
            client.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", origin.authority());
            asked.await();

            assertEnded(proxy.closeAndRecords().getFirst(), "error", CUT_OFF);
        }
    }

    @Test
    void aTunnelThatIsNotUsedEndsWithTheProxy() throws Exception {
        try (TestProxy proxy = proxy("drain_timeout: 50ms");
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT localhost:443 HTTP/1.1", "Host: localhost:443"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");

            JsonNode record = proxy.closeAndRecords().getFirst();
            assertEnded(record, "reject", "shutdown: the proxy ended before a request came through the tunnel");
        }
    }

    @Test
    void aClientThatLeavesDuringTheShutdownHasLeft() throws Exception {
        try (TestOrigin origin = TestOrigin.of(silent);
                TestProxy proxy = proxy("drain_timeout: 30s")) {
            Wire client = proxy.http().send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            asked.await();
            Thread closing = Thread.ofVirtual().start(proxy.proxy()::close);
            Awaitility.await().until(() -> !proxy.proxy().ready());
            client.reset();

            assertEnded(proxy.record(), "client_cancel", "");
            closing.join();
        }
    }

    @Test
    void aClientThatDoesNotReadIsNamedAsSuch() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(TestOrigin.endless(left::countDown));
                TestProxy proxy = proxy("client_idle_timeout: 200ms");
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            left.await();

            assertEnded(
                    proxy.record(), "client_cancel", "client_stalled: the client did not read its response in time");
        }
    }

    @Test
    void otherStreamsOfAConnectionWhoseProtocolWasBrokenSaySo() throws Exception {
        try (TestOrigin origin = TestOrigin.of(silent);
                TestProxy proxy = proxy("drain_timeout: 10s");
                Wire wire = proxy.http()) {
            Http2Peer client = Http2Peer.connect(wire);
            client.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", origin.authority());
            asked.await();
            client.data(2, true, "on a stream that only a server could open");

            JsonNode first = proxy.record();
            assertEnded(first, "client_cancel", "protocol_error: the client broke the protocol");
            assertThat(proxy.record().path("error").asText()).startsWith("http2_protocol_error: ");
        }
    }
}
