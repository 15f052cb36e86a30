package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What origins and clients send that the standards allow, and that few send (docs/interoperability.md). */
@Timeout(60)
class OddMessagesTest {

    @TempDir
    Path folder;

    /** The head and body that a client gets for an answer of an origin; {@code ~} is the end of a line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 OK~Connection: close, keep-alive~Content-Length: 5~~hello | 200 OK~Content-Length: 5~~hello",
                "200 OK~Connection: X-Own~X-Own: 1~Keep-Alive: timeout=5~Content-Length: 5~~hello | 200 OK~Content-Length: 5~~hello",
                "204 No Content~Content-Length: 5~~hello | 204 No Content~~",
                "204 No Content~Transfer-Encoding: chunked~~0~~ | 204 No Content~~",
                "304 Not Modified~Content-Length: 5~ETag: \"1\"~~ | 304 Not Modified~Content-Length: 5~ETag: \"1\"~~",
                "304 Not Modified~Transfer-Encoding: chunked~~ | 304 Not Modified~~",
                "200 OK~Content-Length: 5~~hello and more | 200 OK~Content-Length: 5~~hello",
                "200~Content-Length: 5~~hello | 200 ~Content-Length: 5~~hello",
                "200 OK~Transfer-Encoding: chunked~~5;a=b;c=\"d e\"~hello~0;x~~ | 200 OK~Transfer-Encoding: chunked~~hello",
                "200 OK~Transfer-Encoding: CHUNKED~~000a~helloworld~000~~ | 200 OK~Transfer-Encoding: chunked~~helloworld",
                "200 OK~X.Own_Name: y~Content-Length: 5~~hello | 200 OK~X.Own_Name: y~Content-Length: 5~~hello",
                "200 OK~X: caf\u00e9~Content-Length: 5~~hello | 200 OK~X: caf\u00e9~Content-Length: 5~~hello",
                "302 Found~Location: /a b c~Content-Length: 0~~ | 302 Found~Location: /a b c~Content-Length: 0~~",
                "102 Processing~~HTTP/1.1 199 Own~~HTTP/1.1 200 OK~Content-Length: 5~~hello | 200 OK~Content-Length: 5~~hello",
            })
    void ofOriginsAreDelivered(String sent, String received) throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 " + sent.replace("~", "\r\n"));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Wire.Message got = client.get("/x", origin.authority());
            while (got.status() < 200) {
                got = client.response();
            }

            assertThat(got.head() + "\r\n\r\n" + got.body()).isEqualTo("HTTP/1.1 " + received.replace("~", "\r\n"));
            assertThat(proxy.record().has("tolerated")).isFalse();
        }
    }

    @Test
    void aCookieOfSixteenKilobytesIsDelivered() throws Exception {
        String cookie = "a=" + "x".repeat(16 << 10);
        try (TestOrigin origin =
                        TestOrigin.answering(head("HTTP/1.1 200 OK", "Set-Cookie: " + cookie, "Content-Length: 0"));
                TestProxy proxy = TestProxy.builder(folder).start()) {
            assertThat(proxy.get(origin, "/x", "Cookie: " + cookie).field("Set-Cookie"))
                    .isEqualTo(cookie);
        }
    }

    /** Neither has a body, whatever it says. */
    @ParameterizedTest
    @CsvSource({"'Transfer-Encoding: chunked~~', ''", "'Content-Length: 5~~hello', 'Content-Length: 5'"})
    void theAnswerToHeadEndsWithItsHead(String sent, String fields) throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 200 OK\r\n" + sent.replace("~", "\r\n"));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("HEAD /x HTTP/1.1", "Host: " + origin.authority()));

            assertThat(String.join("~", client.headOnly().fields())).isEqualTo(fields);
        }
    }

    /** What an origin gets of a request; {@code @} is its authority. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OPTIONS * HTTP/1.1~Host: @~~ | OPTIONS * HTTP/1.1~Host: @",
                "BREW /x HTTP/1.1~Host: @~~ | BREW /x HTTP/1.1~Host: @",
                "~GET /x HTTP/1.1~Host: @~~ | GET /x HTTP/1.1~Host: @",
                "GET /x HTTP/1.0~Host: @~Connection: keep-alive~~ | GET /x HTTP/1.1~Host: @",
                "GET HTTP://@/x HTTP/1.1~Host: other.test~~ | GET /x HTTP/1.1~Host: @",
                "GET http://@?a=b HTTP/1.1~Host: @~~ | GET /?a=b HTTP/1.1~Host: @",
                "GET /x HTTP/1.1~Host: @~Content-Length: 2~~{} | GET /x HTTP/1.1~Host: @~Content-Length: 2~~{}",
                "GET /x HTTP/1.1~Host: @~Cookie: a=1~Cookie: b=2~~ | GET /x HTTP/1.1~Host: @~Cookie: a=1~Cookie: b=2",
                "GET /x HTTP/1.1~Host: @~X.Own_Name: caf\u00e9~~ | GET /x HTTP/1.1~Host: @~X.Own_Name: caf\u00e9",
                "GET /x HTTP/1.1~Host: @~Connection: Host, X-Own~X-Own: 1~Proxy-Connection: close~~ | GET /x HTTP/1.1~Host: @",
                "POST /x HTTP/1.1~Host: @~Expect: 100-continue~Content-Length: 2~~{} | POST /x HTTP/1.1~Host: @~Expect: 100-continue~Content-Length: 2~~{}",
            })
    void ofClientsAreServed(String sent, String forwarded) throws Exception {
        TestOrigin.Script echo = peer -> {
            Wire.Message got = peer.request();
            peer.send(TestOrigin.ok(got.head() + (got.body().isEmpty() ? "" : "\r\n\r\n" + got.body())));
            peer.readToEnd();
        };
        try (TestOrigin origin = TestOrigin.of(echo);
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(sent.replace("@", origin.authority()).replace("~", "\r\n"));

            assertThat(client.response().body())
                    .isEqualTo(forwarded.replace("@", origin.authority()).replace("~", "\r\n"));
        }
    }

    /** As old browsers ended a form. */
    @Test
    void aLineEndBehindABodyIsNoRequest() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.startLine()));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send("POST /1 HTTP/1.1\r\nHost: " + origin.authority() + "\r\nContent-Length: 2\r\n\r\n{}\r\n"
                    + head("GET /2 HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.response().body()).startsWith("POST /1");
            assertThat(client.response().body()).startsWith("GET /2");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT [fe80::1%25eth0]:443, zone",
        "CONNECT [fe80::1%eth0]:443, zone",
        "CONNECT ::1:443, colon",
        "CONNECT a.test:, empty port",
        "CONNECT a.test:65536, port",
        "CONNECT https://a.test:443, colon",
        "GET http://user:password@a.test/, user information",
        "GET http:///x, empty host",
        "GET ftp://a.test/, neither a path nor",
        "GET x, neither a path nor",
        "GET *, asterisk",
    })
    void targetsThatLeadNowhereAreRefused(String line, String why) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.tunnel()) {
            Wire.Message got =
                    client.send(head(line + " HTTP/1.1", "Host: a.test")).response();

            assertThat(got.status()).isEqualTo(400);
            assertThat(got.body()).contains(why).doesNotContain("password");
        }
    }

    @Test
    void socksOfVersion4IsClosed() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.tunnel()) {
            client.send("\u0004\u0001\u0001\u00bb\u007f\u0000\u0000\u0001u\u0000");

            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.record().path("audit").path("action").asText()).isIn("reject", "error");
        }
    }
}
