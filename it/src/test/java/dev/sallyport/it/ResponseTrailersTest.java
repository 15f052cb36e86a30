package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trailers of responses for clients that have not asked for any (RFC 9110, 6.5). */
@Timeout(60)
class ResponseTrailersTest {

    @TempDir
    Path folder;

    private static TestOrigin origin() {
        return TestOrigin.of(peer -> {
            peer.readHead();
            peer.send(head("HTTP/1.1 200 OK", "Trailer: X-Sum", "Transfer-Encoding: chunked"))
                    .chunk("back")
                    .send("0\r\nX-Sum: 2\r\n\r\n");
            peer.readToEnd();
        });
    }

    @Test
    void followChunksAndAreAnnounced() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Wire.Message got = client.get("/x", origin.authority());

            assertThat(got.field("Trailer")).isEqualTo("X-Sum");
            assertThat(got.body()).isEqualTo("back");
            assertThat(got.trailers()).containsExactly("X-Sum: 2");
        }
    }

    @Test
    void doNotTakeALengthAwayWhereNobodyAsked() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("reader", Reading.bothWays())
                        .start();
                Wire client = proxy.http()) {
            Wire.Message got = client.get("/x", origin.authority());

            assertThat(got.head()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 4");
            assertThat(got.body()).isEqualTo("back");
        }
    }

    @Test
    void areNotForClientsOfHttp10() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("GET /x HTTP/1.0", "Host: " + origin.authority()));

            assertThat(client.readToEnd()).endsWith("\r\n\r\nback").doesNotContain("Trailer", "X-Sum");
        }
    }

    @Test
    void areNotAnnouncedInAnAnswerWithoutABody() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(head("HTTP/1.1 200 OK", "Trailer: X-Sum", "Content-Length: 4"));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("HEAD /x HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.readHead()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 4");
        }
    }

    @Test
    void reachClientsOfHttp2() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Http2Peer frames = Http2Peer.connect(client);
            frames.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":authority", origin.authority(), ":path", "/x");
            Http2Message got = frames.answer(1);

            assertThat(got.body()).isEqualTo("back");
            assertThat(Http2Peer.lines(got.head())).contains("trailer: X-Sum");
            assertThat(Http2Peer.lines(got.trailers())).containsExactly("x-sum: 2");
        }
    }
}
