package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 14a: what the parser refuses has a record with whatever could be read of it. */
@Timeout(60)
class ParserRefusalTest {

    @TempDir
    Path folder;

    private static void says(JsonNode record, String method, String host, int port, String path) {
        JsonNode audit = record.get("audit");
        assertThat(record.get("error").asText()).isNotEmpty();
        assertThat(audit.get("action").asText()).isEqualTo("reject");
        assertThat(audit.get("method").asText()).isEqualTo(method);
        assertThat(audit.get("host").asText()).isEqualTo(host);
        assertThat(audit.get("port").asInt()).isEqualTo(port);
        assertThat(audit.get("path").asText()).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "an encoded NUL|GET /a/%00/b?c=d HTTP/1.1~Host: a.test~~|/a/%00/b?c=d",
                "an encoded NUL in absolute form|GET http://a.test/a/%00/b HTTP/1.1~Host: x.test~~|/a/%00/b",
                "two framings|GET /x HTTP/1.1~Host: a.test~Content-Length: 3~Transfer-Encoding: chunked~~abc|/x",
                "two lengths|GET /x HTTP/1.1~Host: a.test~Content-Length: 3~Content-Length: 4~~abc|/x",
                "white space before a colon|GET /x HTTP/1.1~Host: a.test~X : y~~|/x",
                "white space before a colon, host behind it|GET /x HTTP/1.1~X : y~Host: a.test~~|/x",
                "a folded line|GET /x HTTP/1.1~Host: a.test~X: y~ z~~|/x",
                "a bare line feed|GET /x HTTP/1.1~Host: a.test~X: y^~|/x",
                "a version nobody knows|GET /x HTTP/7.1~Host: a.test~~|/x"
            })
    void overHttp1(String name, String request, String path) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(request.replace("~", "\r\n").replace("^", "\n"));
            assertThat(client.readHead()).as(name).matches("(?s)HTTP/1.1 (400|505).*");

            says(proxy.record(), "GET", "a.test", 80, path);
        }
    }

    @Test
    void overHttp2() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Http2Peer frames = Http2Peer.connect(client);
            frames.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":authority", "a.test:81", ":path", "/a/%00/b?c");
            says(proxy.record(), "GET", "a.test", 81, "/a/%00/b?c");

            frames.headers(
                    3,
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "http",
                    ":authority",
                    "a.test",
                    ":path",
                    "/x",
                    "connection",
                    "close");
            says(proxy.record(), "GET", "a.test", 80, "/x");
        }
    }

    /** A tilde is the end of a line, a circumflex more than a head may have, a plus more lines than it may have. */
    private static String written(String request) {
        return request.replace("~", "\r\n")
                .replace("^", "x".repeat(80_000))
                .replace("+", "A: b\r\n".repeat(300))
                .replace("*", "x".repeat(17_000));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a field that is too long|GET /x?y HTTP/1.1~Host: a.test:81~X: ^~~|431|/x?y",
                "fields between|POST /x HTTP/1.1~A: b~hOST:a.test:81 ~C: *~D: *~E: *~F: *~~|431|/x",
                "too many fields|GET /x HTTP/1.1~Host: a.test:81~+~~|431|/x",
                "absolute form|GET http://a.test:81/x?y HTTP/1.1~X: ^~~|431|/x?y",
                "a target that is too long|GET http://a.test:81/x?^ HTTP/1.1~~|414|/x?x"
            })
    void whatIsTooLong(String name, String request, int status, String path) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(written(request));
            assertThat(client.readHead()).as(name).startsWith("HTTP/1.1 " + status);

            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("host").asText()).as(name).isEqualTo("a.test");
            assertThat(audit.get("port").asInt()).isEqualTo(81);
            assertThat(audit.get("method").asText()).isEqualTo(request.substring(0, request.indexOf(' ')));
            assertThat(audit.get("path").asText()).startsWith(path).hasSizeLessThan(17_000);
        }
    }

    /** However it arrives: the decoder keeps the last line that it has read to itself. */
    @Test
    void aHostThatCameByItself() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            for (char piece :
                    "GET /x HTTP/1.1~Host: a.test~".replace("~", "\r\n").toCharArray()) {
                client.send(String.valueOf(piece));
            }
            client.send(written("X: ^~~"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 431");

            says(proxy.record(), "GET", "a.test", 80, "/x");
        }
    }

    @Test
    void aHostOfTheRequestBeforeIsNotThisOnes() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(written("GET /a/%00/b HTTP/1.1~Host: a.test~~"));
            client.message();
            proxy.record();
        }
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []")
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            assertThat(client.message().body()).isEqualTo("hello");
            proxy.record();
            client.send(written("GET /x HTTP/1.1~X: ^~~"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 431");

            says(proxy.record(), "GET", "", 0, "/x");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"GET /x HTTP/1.1~X: ^~~|431", "GET /x?^ HTTP/1.1~~|414", "GET /x HTTP/1.1~Host: b.test~X: ^~~|431"
            })
    void withinATunnelTheHostIsTheTunnels(String request, int status) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT a.test:81 HTTP/1.1", "Host: x"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 200");
            client.send(written(request));
            assertThat(client.readHead()).startsWith("HTTP/1.1 " + status);

            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("host").asText()).isEqualTo(request.contains("b.test") ? "b.test" : "a.test");
            assertThat(audit.get("port").asInt()).isEqualTo(81);
            assertThat(audit.get("path").asText()).startsWith("/x");
        }
    }

    @Test
    void overTlsTheHostIsAtLeastTheServerName() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire client = proxy.https(certificates, "localhost")) {
            client.send(written("GET /x?^ HTTP/1.1~~"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 414");

            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("host").asText()).isEqualTo("localhost");
            assertThat(audit.get("port").asInt()).isEqualTo(443);
        }
    }

    @Test
    void fieldsOverHttp2ThatAreTooLong() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Http2Peer frames = Http2Peer.connect(client);
            String[] fields = new String[8 + 2 * 20];
            String[] first = {":method", "GET", ":scheme", "http", ":path", "/x?y", ":authority", "a.test:81"};
            System.arraycopy(first, 0, fields, 0, first.length);
            for (int i = first.length; i < fields.length; i += 2) {
                fields[i] = "x";
                fields[i + 1] = "x".repeat(4_000);
            }
            byte[] block = frames.block(fields);
            int most = 16_000;
            frames.send(Http2Peer.HEADERS, Http2Peer.END_STREAM, 1, Arrays.copyOf(block, most));
            for (int at = most; at < block.length; at += most) {
                int to = Math.min(block.length, at + most);
                int flags = to == block.length ? Http2Peer.END_HEADERS : 0;
                frames.send(Http2Peer.CONTINUATION, flags, 1, Arrays.copyOfRange(block, at, to));
            }
            assertThat(frames.fields(frames.next(Http2Peer.HEADERS))).contains(":status: 431");

            says(proxy.record(), "GET", "a.test", 81, "/x?y");
        }
    }

    @Test
    void aPathOverHttp2ThatIsTooLong() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Http2Peer frames = Http2Peer.connect(client);
            frames.headers(
                    1,
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "http",
                    ":authority",
                    "a.test:81",
                    ":path",
                    "/" + "x".repeat(16_300));
            frames.fields(frames.next(Http2Peer.HEADERS));

            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("host").asText()).isEqualTo("a.test");
        }
    }
}
