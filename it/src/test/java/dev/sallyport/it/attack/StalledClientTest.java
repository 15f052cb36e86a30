package dev.sallyport.it.attack;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that stops in the middle of an exchange holds a connection to the origin, of which there is a limited number
 * for all clients: {@code limits.client_idle_timeout} counts there too, as long as it is the client's turn.
 */
class StalledClientTest {

    @TempDir
    Path folder;

    private TestProxy proxy() throws Exception {
        return TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: []", "limits: {client_idle_timeout: 300ms}")
                .start();
    }

    @Test
    void aBodyThatStopsEndsItsExchange() throws Exception {
        CountDownLatch originLeft = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.readToEnd();
                    originLeft.countDown();
                });
                TestProxy proxy = proxy();
                Wire client = proxy.http()) {
            // when
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 10"))
                    .send("abc");

            // then
            Wire.Message answer = client.message();
            assertThat(answer.head()).startsWith("HTTP/1.1 408 ").contains("Connection: close");
            assertThat(answer.body()).contains("request_timeout").contains("did not arrive in time");
            assertThat(client.readToEnd()).isEmpty();
            originLeft.await();
            JsonNode record = proxy.record();
            JsonNode audit = record.path("audit");
            assertThat(audit.path("status_code").asInt()).isEqualTo(408);
            assertThat(audit.path("action").asText()).isEqualTo("reject");
            assertThat(record.path("error").asText()).startsWith("request_timeout");
        }
    }

    @Test
    void aResponseThatIsLeftUnreadEndsItsExchange() throws Exception {
        CountDownLatch originLeft = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(TestOrigin.endless(originLeft::countDown));
                TestProxy proxy = proxy();
                Wire client = proxy.http()) {
            // when
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));

            // then
            originLeft.await();
            assertThat(proxy.record().path("audit").path("action").asText()).isEqualTo("client_cancel");
        }
    }

    @Test
    void aClientThatWaitsForAQuietOriginIsLeftAlone() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    answer.await();
                    peer.send(TestOrigin.ok("at last"));
                    peer.readToEnd();
                });
                TestProxy proxy = proxy();
                Wire client = proxy.http()) {
            // given
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));

            // when others, who came later and ask for nothing, have been idle for too long
            for (int i = 0; i < 3; i++) {
                try (Wire idle = proxy.http()) {
                    assertThat(idle.readToEnd()).isEmpty();
                }
            }
            answer.countDown();

            // then
            assertThat(client.message().body()).isEqualTo("at last");
        }
    }
}
