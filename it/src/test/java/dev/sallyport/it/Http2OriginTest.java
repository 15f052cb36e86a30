package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of HTTP/1.1 whose origins speak HTTP/2. */
@Timeout(120)
class Http2OriginTest {

    @TempDir
    Path folder;

    private final BlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    private TestCertificates certificates;

    @BeforeEach
    void makeCertificates() throws Exception {
        certificates = new TestCertificates(folder);
    }

    private TestProxy.Builder proxy() {
        return TestProxy.builder(folder).certificates(certificates);
    }

    /** A client inside a tunnel to this origin. */
    private Wire connect(TestProxy proxy, TestOrigin origin) throws Exception {
        Wire tunnel = proxy.tunnel();
        tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
        return new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"));
    }

    @Test
    void requestsAndResponsesAreTranslated() throws Exception {
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    for (int i = 0; i < 2; i++) {
                        Frame head = wire.next(Http2Peer.HEADERS);
                        heads.add(wire.fields(head));
                        StringBuilder body = new StringBuilder();
                        boolean ended = head.ends();
                        while (!ended) {
                            Frame data = wire.next(Http2Peer.DATA);
                            body.append(data.text());
                            ended = data.ends();
                        }
                        bodies.add(body.toString());
                        wire.headers(head.stream(), false, ":status", "201", "x-origin", "yes");
                        wire.data(head.stream(), true, "made");
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().transform(
                                "x",
                                request -> Decision.proceed(Edits.builder()
                                        .setHeader("X-Added", "by the proxy")
                                        .build()))
                        .start();
                Wire client = connect(proxy, origin)) {
            String authority = "localhost:" + origin.port();
            client.send(head(
                    "POST /a?b HTTP/1.1",
                    "Host: " + authority,
                    "Transfer-Encoding: chunked",
                    "Connection: keep-alive"));
            client.chunk("one").chunk("two").send("0\r\n\r\n");
            Wire.Message answer = client.chunkedMessage();
            assertThat(answer.head()).startsWith("HTTP/1.1 201").contains("x-origin: yes");
            assertThat(answer.body()).isEqualTo("made");
            assertThat(heads.poll(Patience.SECONDS, TimeUnit.SECONDS))
                    .startsWith(
                            ":method: POST",
                            ":scheme: https",
                            ":authority: " + authority,
                            ":path: /a?b",
                            "x-added: by the proxy")
                    .noneMatch(line -> line.startsWith("transfer-encoding") || line.startsWith("connection"));
            assertThat(bodies.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("onetwo");

            client.send(head("POST /c HTTP/1.1", "Host: " + authority, "Content-Length: 3") + "abc");
            assertThat(client.chunkedMessage().body()).isEqualTo("made");
            assertThat(heads.poll(Patience.SECONDS, TimeUnit.SECONDS)).contains("content-length: 3");
            assertThat(origin.connections()).isOne();
            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("action").asText()).isEqualTo("allow");
        }
    }

    @Test
    void aRequestWithABodyThatWasRefusedUnprocessedIsSentAgain() throws Exception {
        try (TestOrigin origin = TestOrigin.h2(
                        certificates.origin,
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.reset(wire.request(), 7);
                            peer.readToEnd();
                        },
                        peer -> {
                            Http2Peer wire = peer.http2();
                            Frame head = wire.next(Http2Peer.HEADERS);
                            bodies.add(wire.next(Http2Peer.DATA).text());
                            wire.ok(head.stream(), "second try");
                            peer.readToEnd();
                        });
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            client.send(head("POST / HTTP/1.1", "Host: localhost:" + origin.port(), "Content-Length: 3") + "abc");

            assertThat(client.message().body()).isEqualTo("second try");
            assertThat(bodies.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("abc");
        }
    }

    @Test
    void aBrokenResponseIsAnUpstreamProtocolError() throws Exception {
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    wire.headers(wire.request(), true, ":status", "200", "Upper", "case");
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            client.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));

            Wire.Message answer = client.message();
            assertThat(answer.head()).startsWith("HTTP/1.1 502");
            assertThat(answer.body()).contains("upstream_protocol_error");
        }
    }

    /** As gRPC without TLS does: the origin is asked in the client's way, and may not speak it, nor anything. */
    @Test
    void aCleartextOriginThatDoesNotAnswerThePrefaceIsATimeout() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    heads.add(List.of(peer.readThrough("SM\r\n\r\n")));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "upstream_response_header_timeout: 300ms")
                        .start();
                Wire client = proxy.http()) {
            Http2Peer wire = Http2Peer.connect(client);
            wire.headers(
                    1,
                    false,
                    ":method",
                    "POST",
                    ":scheme",
                    "http",
                    ":authority",
                    origin.authority(),
                    ":path",
                    "/grpc.Service/Call",
                    "content-type",
                    "application/grpc",
                    "te",
                    "trailers");

            assertThat(wire.fields(wire.next(Http2Peer.HEADERS))).contains(":status: 504");
            assertThat(heads.poll(Patience.SECONDS, TimeUnit.SECONDS))
                    .containsExactly("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            assertThat(origin.connections()).isOne();
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText())
                    .startsWith("upstream_timeout")
                    .contains("no HTTP/2 frame in time");
            assertThat(record.at("/audit/action").asText()).isEqualTo("error");
        }
    }
}
