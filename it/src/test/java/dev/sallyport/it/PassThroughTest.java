package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What passes through untouched. */
class PassThroughTest {

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @Test
    void casingAndOrderOfHeadersAreKeptEndToEnd() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(head(
                            "HTTP/1.1 200 Fine by me",
                            "x-B: 1",
                            "X-a: 2",
                            "x-b: 3",
                            "CONTENT-length: 0",
                            "eTag: \"q\""));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head(
                    "GET /a//b?x=%2f&y HTTP/1.1",
                    "x-Second: 1", "hOST: " + origin.authority(), "Accept: */*", "x-second: 2", "USER-AGENT: t"));

            assertThat(client.readHead())
                    .isEqualTo(
                            "HTTP/1.1 200 Fine by me\r\nx-B: 1\r\nX-a: 2\r\nx-b: 3\r\nCONTENT-length: 0\r\neTag: \"q\"");
            assertThat(seen.take())
                    .isEqualTo("GET /a//b?x=%2f&y HTTP/1.1\r\nx-Second: 1\r\nhOST: " + origin.authority()
                            + "\r\nAccept: */*\r\nx-second: 2\r\nUSER-AGENT: t");
        }
    }

    @Test
    void hopByHopHeadersAreRemovedBothWays() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(head(
                            "HTTP/1.1 200 OK",
                            "Connection: x-gone",
                            "X-Gone: 1",
                            "Keep-Alive: timeout=5",
                            "Proxy-Authenticate: Basic",
                            "Trailer: x",
                            "Content-Length: 0"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start()) {
            Wire.Message answer = proxy.get(
                    origin,
                    "/",
                    "Connection: keep-alive, X-Mine",
                    "X-Mine: 1",
                    "Proxy-Authorization: Basic Zm9v",
                    "Proxy-Connection: keep-alive",
                    "TE: gzip, trailers",
                    "Upgrade: h2c");

            assertThat(answer.head()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 0");
            assertThat(seen.take())
                    .isEqualTo("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\nTE: trailers\r\nConnection: TE");
        }
    }

    @Test
    void anEmptyReasonPhraseStaysEmptyAndAnUnknownStatusGoesThrough() throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n");
                TestProxy proxy = TestProxy.builder(folder).start()) {
            assertThat(proxy.get(origin, "/").head()).isEqualTo("HTTP/1.1 200 \r\nContent-Length: 0");
        }
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 999 Request denied\r\nContent-Length: 1\r\n\r\nx");
                TestProxy proxy = TestProxy.builder(folder).start()) {
            Wire.Message answer = proxy.get(origin, "/");
            assertThat(answer.head()).isEqualTo("HTTP/1.1 999 Request denied\r\nContent-Length: 1");
            assertThat(answer.body()).isEqualTo("x");
            assertThat(proxy.record().path("audit").path("status_code").asInt()).isEqualTo(999);
        }
    }

    @Test
    void aServerSentEventIsSeenBeforeTheNextIsSent() throws Exception {
        LinkedBlockingQueue<String> go = new LinkedBlockingQueue<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"));
                    peer.chunk("data: one\n\n");
                    go.take();
                    peer.chunk("data: two\n\n").send("0\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("GET /events HTTP/1.1", "Host: " + origin.authority()));
            client.readHead();

            assertThat(client.readThrough("\r\n")).isEqualTo("b\r\n");
            assertThat(client.readThrough("\n\n")).isEqualTo("data: one\n\n");
            go.add("go");
            assertThat(client.readThrough("0\r\n\r\n")).contains("data: two");
        }
    }

    @Test
    void chunkedBodiesAndTrailersGoBothWays() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.chunkedMessage().body());
                    peer.send(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
                            .chunk("back")
                            .send("0\r\nX-Sum: 2\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head(
                            "POST / HTTP/1.1",
                            "Host: " + origin.authority(),
                            "TE: trailers",
                            "Connection: TE",
                            "Transfer-Encoding: chunked"))
                    .chunk("there")
                    .send("0\r\nX-Sum: 1\r\n\r\n");

            assertThat(client.chunkedMessage().body()).isEqualTo("back|X-Sum: 2");
            assertThat(seen.take()).isEqualTo("there|X-Sum: 1");
        }
    }

    /** Some readers hand on a chunk only when they have seen its end. */
    @Test
    void aChunkIsCompleteBeforeTheNextIsSent() throws Exception {
        LinkedBlockingQueue<String> go = new LinkedBlockingQueue<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    seen.add(peer.readThrough("there\r\n"));
                    go.take();
                    peer.send(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
                            .chunk("back");
                    seen.add(peer.readThrough("0\r\n\r\n"));
                    peer.chunk("more").send("0\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Transfer-Encoding: chunked"))
                    .chunk("there");

            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("5\r\nthere\r\n");
            go.add("go");
            client.readHead();
            assertThat(client.readThrough("back\r\n")).isEqualTo("4\r\nback\r\n");
            client.chunk("more").send("0\r\n\r\n");
            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("4\r\nmore\r\n0\r\n\r\n");
            assertThat(client.chunks()).isEqualTo("more");
        }
    }

    /** RFC 9110, 6.5.1: whoever merges trailers into the head would be misled. */
    @Test
    void trailersThatRouteOrAreAboutTheConnectionAreLeftOut() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.chunkedMessage().body());
                    peer.send(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
                            .chunk("back")
                            .send(
                                    "0\r\nHost: other.test\r\nX-Sum: 2\r\nProxy-Authenticate: Basic\r\nTE: trailers\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head(
                            "POST / HTTP/1.1",
                            "Host: " + origin.authority(),
                            "TE: trailers",
                            "Connection: TE",
                            "Transfer-Encoding: chunked"))
                    .chunk("there")
                    .send("0\r\nTE: trailers\r\nX-Sum: 1\r\n\r\n");

            assertThat(client.chunkedMessage().body()).isEqualTo("back|X-Sum: 2");
            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("there|X-Sum: 1");
        }
    }

    @Test
    void trailersOfAQueuedBodySurvive() throws Exception {
        // A transform that reads has the whole body queued: its length is known, and the trailers must go all the same.
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.chunkedMessage().body());
                    peer.send(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
                            .chunk("back")
                            .send("0\r\nX-Sum: 2\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("reader", Reading.bothWays())
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                            "POST / HTTP/1.1",
                            "Host: " + origin.authority(),
                            "TE: trailers",
                            "Connection: TE",
                            "Transfer-Encoding: chunked"))
                    .chunk("there")
                    .send("0\r\nX-Sum: 1\r\n\r\n");

            assertThat(client.chunkedMessage().body()).isEqualTo("back|X-Sum: 2");
            assertThat(seen.take()).isEqualTo("there|X-Sum: 1");
        }
    }

    @Test
    void headResponsesKeepTheirLengthAndHaveNoBody() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(head("HTTP/1.1 200 OK", "Content-Length: 99"));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("reader", Reading.bothWays())
                        .start();
                Wire client = proxy.http()) {
            for (int i = 0; i < 2; i++) {
                client.send(head("HEAD / HTTP/1.1", "Host: " + origin.authority()));
                assertThat(client.readHead()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 99");
            }
            assertThat(origin.connections()).isEqualTo(1);
        }
    }

    @Test
    void responsesWithoutContentHaveNoLength() throws Exception {
        for (String status : new String[] {"204 No Content", "304 Not Modified"}) {
            try (TestOrigin origin = TestOrigin.answering(head("HTTP/1.1 " + status, "ETag: x"));
                    TestProxy proxy = TestProxy.builder(folder)
                            .transform("reader", Reading.bothWays())
                            .start();
                    Wire client = proxy.http()) {
                for (int i = 0; i < 2; i++) {
                    client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                    assertThat(client.readHead()).isEqualTo("HTTP/1.1 " + status + "\r\nETag: x");
                }
            }
        }
    }

    @Test
    void anInformationalResponsePassesAheadOfTheFinalOne() throws Exception {
        try (TestOrigin origin =
                        TestOrigin.answering(head("HTTP/1.1 103 Early Hints", "Link: </a>") + TestOrigin.ok("x"));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.readHead()).isEqualTo("HTTP/1.1 103 Early Hints\r\nLink: </a>");
            assertThat(client.message().body()).isEqualTo("x");
        }
    }
}
