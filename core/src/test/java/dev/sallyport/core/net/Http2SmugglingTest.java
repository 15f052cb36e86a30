package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Wire;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a client of HTTP/2 could have the next reader of HTTP/1.1 take in another way (RFC 9113, 8.1.1, 8.2, 8.3 and
 * 10.3): each is answered with 4xx, begins nothing and leaves one record; what is malformed is reset as well.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2SmugglingTest {

    private static final List<String> GET =
            List.of(":method", "GET", ":scheme", "https", ":authority", "a.test", ":path", "/");

    record Case(String name, int status, boolean malformed, List<String> fields) {
        @Override
        public String toString() {
            return name;
        }
    }

    private Proxy proxy;

    @BeforeAll
    void open() throws IOException {
        proxy = new Proxy();
    }

    @AfterAll
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    static Stream<Case> values() {
        return Stream.of(
                malformed("CR LF in a value", with("x-a", "1\r\nx-b: 2")),
                malformed("LF in a value", with("x-a", "1\nx-b: 2")),
                malformed("CR in a value", with("x-a", "1\rx-b: 2")),
                malformed("NUL in a value", with("x-a", "1\0")),
                malformed("a whole request in a value", with("x-a", "1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a.test")),
                malformed("a control character in a value", with("x-a", "1\u0001")),
                malformed("DEL in a value", with("x-a", "1\u007f")),
                malformed("a space before a value", with("x-a", " 1")),
                malformed("a space after a value", with("x-a", "1 ")),
                malformed("a tab after a value", with("x-a", "1\t")),
                malformed("CR LF in the path", replaced(":path", "/ HTTP/1.1\r\nx: y")),
                malformed("CR LF in the method", replaced(":method", "GET / HTTP/1.1\r\nx: y")),
                malformed("CR LF in the authority", replaced(":authority", "a.test\r\nx: y")));
    }

    static Stream<Case> names() {
        return Stream.of(
                malformed("upper case in a name", with("X-a", "1")),
                malformed("an empty name", with("", "1")),
                malformed("a colon in a name", with("x:a", "1")),
                malformed("a space in a name", with("x a", "1")),
                malformed("CR LF in a name", with("x-a: 1\r\nx-b", "1")),
                malformed("an octet beyond ASCII in a name", with("x-\u00e4", "1")),
                malformed("transfer-encoding", with("transfer-encoding", "chunked")),
                malformed("transfer-encoding: identity", with("transfer-encoding", "identity")),
                malformed("connection", with("connection", "x-a")),
                malformed("keep-alive", with("keep-alive", "5")),
                malformed("proxy-connection", with("proxy-connection", "keep-alive")),
                malformed("upgrade", with("upgrade", "h2c")),
                malformed("te with more than trailers", with("te", "trailers, gzip")),
                malformed("te: chunked", with("te", "chunked")));
    }

    static Stream<Case> pseudo() {
        return Stream.of(
                malformed("no :method", without(":method")),
                malformed("no :scheme", without(":scheme")),
                malformed("no :path", without(":path")),
                malformed("an empty :path", replaced(":path", "")),
                malformed("two :method", before(":method", "POST")),
                malformed("two :path", before(":path", "/b")),
                malformed("two :scheme", before(":scheme", "https")),
                malformed("two :authority", before(":authority", "b.test")),
                malformed("an unknown pseudo-header field", before(":host", "a.test")),
                malformed("a :status", before(":status", "200")),
                malformed("a :protocol without CONNECT", before(":protocol", "websocket")),
                malformed("a pseudo-header field after another field", behind(":authority", "a.test")),
                malformed("a space in the method", replaced(":method", "GET /")),
                malformed("an empty method", replaced(":method", "")),
                malformed("CONNECT with a path", replaced(":method", "CONNECT")),
                malformed("CONNECT without authority", List.of(":method", "CONNECT")));
    }

    static Stream<Case> targets() {
        return Stream.of(
                refused("a path that does not begin with a slash", 400, replaced(":path", "a")),
                refused("an absolute form", 400, replaced(":path", "https://b.test/")),
                refused("a space in the path", 400, replaced(":path", "/a b")),
                refused("a fragment", 400, replaced(":path", "/a#b")),
                refused("an encoded NUL", 400, replaced(":path", "/a%00")),
                refused("an encoded NUL behind a dot segment", 400, replaced(":path", "/../a%00")),
                refused("a DEL in the path", 400, replaced(":path", "/a\u007f")),
                refused("an asterisk without OPTIONS", 400, replaced(":path", "*")),
                refused("another scheme", 400, replaced(":scheme", "http")),
                refused("an unknown scheme", 400, replaced(":scheme", "ftp")),
                refused("neither :authority nor Host", 400, without(":authority")),
                refused("an empty authority", 400, replaced(":authority", "")),
                refused("Host that is not :authority", 400, with("host", "b.test")),
                refused("Host with another port", 400, with("host", "a.test:8443")),
                refused("two Hosts", 400, with("host", "a.test", "host", "b.test")),
                refused("user information", 400, replaced(":authority", "b@a.test")),
                refused("a list of authorities", 400, replaced(":authority", "a.test, b.test")),
                refused("an authority with a path", 400, replaced(":authority", "a.test/b")),
                refused("an authority that is not ASCII", 400, replaced(":authority", "\u00e4.test")),
                refused("an authority that is not the server name", 421, replaced(":authority", "b.test")),
                refused("too many fields", 431, with(many())),
                refused("a field that is too large", 431, with("x-a", "v".repeat(70_000))));
    }

    static Stream<Case> lengths() {
        return Stream.of(
                malformed("a length, and an end with the head", with("content-length", "3")),
                malformed("two lengths", with("content-length", "0", "content-length", "0")),
                malformed("a list of lengths", with("content-length", "0, 0")),
                malformed("a signed length", with("content-length", "+0")),
                malformed("a negative length", with("content-length", "-1")),
                malformed("a length that is no number", with("content-length", "a")),
                malformed("an empty length", with("content-length", "")));
    }

    static Stream<Case> heads() {
        return Stream.of(values(), names(), pseudo(), targets(), lengths()).flatMap(all -> all);
    }

    @ParameterizedTest
    @MethodSource("heads")
    void beginsNothing(Case hostile) throws IOException {
        proxy.exchanges.begun.clear();
        proxy.exchanges.refused.clear();
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test", "h2"))
                .greet()) {
            byte[] block = client.block(hostile.fields().toArray(new String[0]));
            int first = Math.min(block.length, 16_384);
            boolean one = first == block.length;
            client.send(
                    Http2Peer.HEADERS,
                    Http2Peer.END_STREAM | (one ? Http2Peer.END_HEADERS : 0),
                    1,
                    Arrays.copyOf(block, first));
            for (int at = first; at < block.length; at += 16_384) {
                int end = Math.min(block.length, at + 16_384);
                int last = end == block.length ? Http2Peer.END_HEADERS : 0;
                client.send(Http2Peer.CONTINUATION, last, 1, Arrays.copyOfRange(block, at, end));
            }
            Http2Message answer = client.answer(1);

            assertThat(answer.status()).isEqualTo(hostile.status());
            if (hostile.malformed()) {
                assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
            }
            assertThat(proxy.exchanges.begun).isEmpty();
            assertThat(proxy.exchanges.refused).hasSize(1);
            assertThat(client.request(3, true, "GET", "/after").answer(3).status())
                    .isEqualTo(200);
        }
    }

    /** The exchange has begun when these break; it may answer, then the stream is reset. */
    @Test
    void aBodyThatIsNotAsLongAsDeclaredIsReset() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test", "h2"))
                .greet()) {
            client.request(1, false, "POST", "/x", "content-length", "3").data(1, true, "ab");
            thenBroken(client, 1);
            client.request(3, false, "POST", "/x", "content-length", "3").data(3, false, "abcd");
            thenBroken(client, 3);
            client.request(5, false, "POST", "/x", "content-length", "3")
                    .data(5, false, "ab")
                    .headers(5, true, "x-t", "1");
            thenBroken(client, 5);
            client.request(7, false, "POST", "/x", "content-length", "0").data(7, true, "a");
            thenBroken(client, 7);
        }
    }

    @Test
    void trailersThatAreNoTrailersAreReset() throws IOException {
        List<String[]> trailers = List.of(
                new String[] {":path", "/smuggled"},
                new String[] {"X-Upper", "1"},
                new String[] {"transfer-encoding", "chunked"},
                new String[] {"host", "other.test"},
                new String[] {"x-a", "1", "content-length", "7"},
                new String[] {"x-t", "1\r\nx: y"});
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test", "h2"))
                .greet()) {
            int stream = 1;
            for (String[] fields : trailers) {
                client.request(stream, false, "POST", "/x")
                        .data(stream, false, "a")
                        .headers(stream, true, fields);
                thenBroken(client, stream);
                stream += 2;
            }
            client.request(stream, false, "POST", "/x").headers(stream, false, "x-t", "1");
            thenBroken(client, stream);
        }
    }

    private static void thenBroken(Http2Peer client, int stream) throws IOException {
        Http2Message answer = client.answer(stream);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
    }

    @Test
    void theTargetOfTheTunnelCountsForEachStream() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.tunnel.address()))) {
            client.raw("CONNECT b.test:80 HTTP/1.1\r\nHost: b.test:80\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.wire().in().readNBytes(39);
            client.greet();

            assertThat(client.request(1, true, "GET", "/").answer(1).status()).isEqualTo(421);
        }
    }

    @Test
    void thereAreEnoughCases() {
        assertThat(heads().map(Case::name).distinct().count()).isGreaterThan(70);
        assertThat(heads().toList()).doesNotHaveDuplicates();
    }

    private static Case malformed(String name, List<String> fields) {
        return new Case(name, 400, true, fields);
    }

    private static Case refused(String name, int status, List<String> fields) {
        return new Case(name, status, false, fields);
    }

    private static List<String> with(String... more) {
        List<String> all = new ArrayList<>(GET);
        all.addAll(List.of(more));
        return all;
    }

    private static List<String> before(String name, String value) {
        List<String> all = new ArrayList<>(List.of(name, value));
        all.addAll(GET);
        return all;
    }

    private static List<String> behind(String name, String value) {
        List<String> all = new ArrayList<>(without(name));
        all.addAll(List.of("x-a", "1", name, value));
        return all;
    }

    private static String[] many() {
        String[] fields = new String[402];
        Arrays.setAll(fields, i -> i % 2 == 0 ? "x-" + i : "1");
        return fields;
    }

    private static List<String> replaced(String name, String value) {
        List<String> all = new ArrayList<>(GET);
        all.set(all.indexOf(name) + 1, value);
        return all;
    }

    private static List<String> without(String name) {
        List<String> all = new ArrayList<>(GET);
        int at = all.indexOf(name);
        all.remove(at);
        all.remove(at);
        return all;
    }
}
