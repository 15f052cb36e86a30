package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/spec/decisions.md, section 4, "request smuggling", and RFC 9112, 11: what could be read in two ways ends in 4xx
 * and a closed connection, with one record, and what follows it is never taken for a request.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SmugglingTest {

    private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n";
    private static final String H = "Host: a.test\r\n";
    private static final String POST = "POST / HTTP/1.1\r\n" + H;
    private static final String GET = "GET / HTTP/1.1\r\n" + H;
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    record Case(String name, int status, String bytes) {
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

    static Stream<Case> lengths() {
        return Stream.of(
                bad("both lengths", POST + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "both lengths, coding first",
                        POST + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
                bad("differing lengths", POST + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
                bad("equal lengths twice", POST + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
                bad("a list of lengths", POST + "Content-Length: 3, 3\r\n\r\nabc"),
                bad("a list of differing lengths", POST + "Content-Length: 3, 4\r\n\r\nabc"),
                bad("a signed length", POST + "Content-Length: +3\r\n\r\nabc"),
                bad("a negative length", POST + "Content-Length: -3\r\n\r\nabc"),
                bad("a hexadecimal length", POST + "Content-Length: 0x3\r\n\r\nabc"),
                bad("a fractional length", POST + "Content-Length: 3.0\r\n\r\nabc"),
                bad("an empty length", POST + "Content-Length:\r\n\r\nabc"),
                bad("a length with a space inside", POST + "Content-Length: 1 0\r\n\r\nabcdefghij"),
                bad("a length beyond long", POST + "Content-Length: 99999999999999999999\r\n\r\nabc"),
                bad("a length of many digits", POST + "Content-Length: 0000000000000000000003\r\n\r\nabc"),
                bad(
                        "two lengths in HTTP/1.0",
                        "POST / HTTP/1.0\r\n" + H + "Content-Length: 3\r\nContent-Length: 40\r\n\r\nabc"),
                bad(
                        "two lengths in HTTP/1.0, cased",
                        "POST / HTTP/1.0\r\n" + H + "content-length: 3\r\nCONTENT-LENGTH: 3\r\n\r\nabc"),
                bad("a coding in HTTP/1.0", "POST / HTTP/1.0\r\n" + H + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                bad("an unknown coding", POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
                bad("identity", POST + "Transfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc"),
                bad("identity alone", POST + "Transfer-Encoding: identity\r\n\r\n"),
                bad("gzip, chunked", POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                bad("chunked, identity", POST + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
                bad("chunked twice in a list", POST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "chunked twice in lines",
                        POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "chunked and another line",
                        POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n0\r\n\r\n"),
                bad("chunked with a parameter", POST + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"),
                bad("chunked in quotes", POST + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
                bad("chunked and a vertical tab", POST + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n"),
                bad("an empty coding", POST + "Transfer-Encoding:\r\n\r\n"),
                bad(
                        "a body without length by an old WebSocket draft",
                        GET + "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n"));
    }

    static Stream<Case> heads() {
        return Stream.of(
                bad("white space before the colon", POST + "Content-Length : 3\r\n\r\nabc"),
                bad("tab before the colon", POST + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
                bad("obs-fold", GET + "X-A: 1\r\n 2\r\n\r\n"),
                bad("obs-fold with tab", GET + "X-A: 1\r\n\t2\r\n\r\n"),
                bad("obs-fold of the coding", POST + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
                bad("white space before the first field", "GET / HTTP/1.1\r\n Host: a.test\r\n\r\n"),
                bad("bare LF after the request line", "GET / HTTP/1.1\nHost: a.test\r\n\r\n"),
                bad("bare LF after a field", "GET / HTTP/1.1\r\nHost: a.test\n\r\n"),
                bad("bare LF at the end of the head", GET + "\n"),
                bad("bare LF all over", "GET / HTTP/1.1\nHost: a.test\n\n"),
                bad("bare LF before the request line", "\n" + GET + "\r\n"),
                bad("bare CR before the request line", "\r" + GET + "\r\n"),
                bad("bare CR in a value", GET + "X-A: 1\rContent-Length: 3\r\n\r\n"),
                bad("bare CR at the end of a value", GET + "X-A: 1\r\r\n\r\n"),
                bad("bare CR in a name", GET + "X\rA: 1\r\n\r\n"),
                bad("bare CR in the request line", "GET /\r HTTP/1.1\r\n" + H + "\r\n"),
                bad("NUL in a value", GET + "X-A: 1\0002\r\n\r\n"),
                bad("NUL in a name", GET + "X\000A: 1\r\n\r\n"),
                bad("control character in a value", GET + "X-A: \u0001\r\n\r\n"),
                bad("DEL in a value", GET + "X-A: \u007f\r\n\r\n"),
                bad("space in a name", GET + "X A: 1\r\n\r\n"),
                bad("obs-text in a name", GET + "X\u00e4: 1\r\n\r\n"),
                bad("an empty name", GET + ": 1\r\n\r\n"),
                bad("a line without colon", GET + "nonsense\r\n\r\n"),
                bad("a separator in a name", GET + "X(A): 1\r\n\r\n"),
                new Case("too many fields", 431, GET + "X: 1\r\n".repeat(200) + "\r\n"),
                new Case(
                        "a head that is too large", 431, GET + ("X: " + "a".repeat(1000) + "\r\n").repeat(70) + "\r\n"),
                new Case("a line that is too long", 414, "GET /" + "a".repeat(17_000) + " HTTP/1.1\r\n" + H + "\r\n"));
    }

    static Stream<Case> requestLines() {
        return Stream.of(
                bad("two spaces", "GET  / HTTP/1.1\r\n" + H + "\r\n"),
                bad("two spaces before the version", "GET /  HTTP/1.1\r\n" + H + "\r\n"),
                bad("a space before the method", " GET / HTTP/1.1\r\n" + H + "\r\n"),
                bad("a space after the version", "GET / HTTP/1.1 \r\n" + H + "\r\n"),
                bad("a tab for a space", "GET\t/ HTTP/1.1\r\n" + H + "\r\n"),
                bad("a form feed for a space", "GET\f/ HTTP/1.1\r\n" + H + "\r\n"),
                bad("a space in the target", "GET /a b HTTP/1.1\r\n" + H + "\r\n"),
                bad("no version (HTTP/0.9)", "GET /\r\n" + H + "\r\n"),
                bad("HTTP/1.2", "GET / HTTP/1.2\r\n" + H + "\r\n"),
                bad("HTTP/2.0", "GET / HTTP/2.0\r\n" + H + "\r\n"),
                bad("HTTP/0.9 stated", "GET / HTTP/0.9\r\n" + H + "\r\n"),
                bad("lower case version", "GET / http/1.1\r\n" + H + "\r\n"),
                bad("long version", "GET / HTTP/1.10\r\n" + H + "\r\n"),
                bad("another protocol", "GET / HTCPCP/1.0\r\n" + H + "\r\n"),
                bad("almost the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n"),
                bad("a method that is no token", "G(T / HTTP/1.1\r\n" + H + "\r\n"),
                bad("a method with obs-text", "G\u00c4T / HTTP/1.1\r\n" + H + "\r\n"),
                bad("a target with a control character", "GET /\u0001 HTTP/1.1\r\n" + H + "\r\n"),
                bad("a target with NUL", "GET /\000 HTTP/1.1\r\n" + H + "\r\n"),
                bad("a target with a fragment", "GET /a#b HTTP/1.1\r\n" + H + "\r\n"),
                bad("a target that is no path", "GET a HTTP/1.1\r\n" + H + "\r\n"),
                bad("an asterisk for GET", "GET * HTTP/1.1\r\n" + H + "\r\n"),
                bad("another scheme", "GET ftp://a.test/ HTTP/1.1\r\n" + H + "\r\n"),
                bad("https without TLS", "GET https://a.test/ HTTP/1.1\r\n" + H + "\r\n"),
                bad("user information", "GET http://u:p@a.test/ HTTP/1.1\r\n" + H + "\r\n"),
                bad("an absolute form without host", "GET http:///a HTTP/1.1\r\n" + H + "\r\n"),
                bad("an encoded NUL", "GET /a%00b HTTP/1.1\r\n" + H + "\r\n"),
                bad("an encoded NUL behind a malformed escape", "GET /%zz%00 HTTP/1.1\r\n" + H + "\r\n"));
    }

    static Stream<Case> hosts() {
        return Stream.of(
                bad("no Host", "GET / HTTP/1.1\r\n\r\n"),
                bad("no Host beside an absolute form", "GET http://a.test/ HTTP/1.1\r\n\r\n"),
                bad("two Hosts", "GET / HTTP/1.1\r\n" + H + "Host: b.test\r\n\r\n"),
                bad("two equal Hosts", "GET / HTTP/1.1\r\n" + H + H + "\r\n"),
                bad("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
                bad("a list of Hosts", "GET / HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n"),
                bad("a Host with a path", "GET / HTTP/1.1\r\nHost: a.test/b\r\n\r\n"),
                bad("a Host with user information", "GET / HTTP/1.1\r\nHost: b@a.test\r\n\r\n"),
                bad("a Host with a bad port", "GET / HTTP/1.1\r\nHost: a.test:99999\r\n\r\n"),
                bad("a Host with an empty port", "GET / HTTP/1.1\r\nHost: a.test:\r\n\r\n"),
                bad("an address in a form of its own", "GET / HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n"),
                bad("a bad Host beside an absolute form", "GET http://a.test/ HTTP/1.1\r\nHost: a b\r\n\r\n"));
    }

    /** The exchange has begun when these break; it may answer, but nothing follows. */
    static Stream<Case> chunks() {
        return Stream.of(
                bad("a chunk size that is no number", CHUNKED + "g\r\n"),
                bad("a signed chunk size", CHUNKED + "+1\r\na\r\n0\r\n\r\n"),
                bad("a negative chunk size", CHUNKED + "-1\r\na\r\n0\r\n\r\n"),
                bad("a prefixed chunk size", CHUNKED + "0x1\r\na\r\n0\r\n\r\n"),
                bad("an empty chunk size", CHUNKED + "\r\na\r\n0\r\n\r\n"),
                bad("a chunk size of spaces", CHUNKED + " 1\r\na\r\n0\r\n\r\n"),
                bad("a chunk size with a space after", CHUNKED + "1 \r\na\r\n0\r\n\r\n"),
                bad("a chunk size beyond bounds", CHUNKED + "fffffffffffffffff\r\na\r\n0\r\n\r\n"),
                bad("bare LF after a chunk size", CHUNKED + "1\na\r\n0\r\n\r\n"),
                bad("bare LF after chunk data", CHUNKED + "1\r\na\n0\r\n\r\n"),
                bad("bare CR after chunk data", CHUNKED + "1\r\na\r0\r\n\r\n"),
                bad("chunk data that is too long", CHUNKED + "1\r\nab\r\n0\r\n\r\n"),
                bad("bare LF after the last chunk", CHUNKED + "0\n\r\n"),
                bad("bare LF in an extension", CHUNKED + "1;a\nb\r\na\r\n0\r\n\r\n"),
                bad("bare CR in an extension", CHUNKED + "1;a\rb\r\na\r\n0\r\n\r\n"),
                bad("NUL in an extension", CHUNKED + "1;a\000b\r\na\r\n0\r\n\r\n"),
                bad("an extension that is too long", CHUNKED + "1;" + "a".repeat(17_000) + "\r\na\r\n0\r\n\r\n"),
                bad("framing without end", CHUNKED + ("1;" + "a".repeat(8000) + "\r\na\r\n").repeat(40) + "0\r\n\r\n"),
                bad("a folded trailer", CHUNKED + "0\r\nX-A: 1\r\n 2\r\n\r\n"),
                bad("a trailer without colon", CHUNKED + "0\r\nnonsense\r\n\r\n"),
                bad("a trailer with NUL", CHUNKED + "0\r\nX-A: \000\r\n\r\n"),
                bad("a trailer with a space in its name", CHUNKED + "0\r\nX A: 1\r\n\r\n"),
                bad("a coding in trailers", CHUNKED + "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
                bad("a length in trailers", CHUNKED + "0\r\nX-A: 1\r\ncontent-length: 3\r\n\r\n"),
                bad("a host in trailers", CHUNKED + "0\r\nHost: other.test\r\n\r\n"),
                bad("a bare CR in a field of framing in trailers", CHUNKED + "0\r\nTrailer: a\rb\r\n\r\n"),
                bad("a trailer with bare LF", CHUNKED + "0\r\nX-A: 1\n\r\n"));
    }

    static Stream<Case> beforeBegin() {
        return Stream.of(lengths(), heads(), requestLines(), hosts()).flatMap(all -> all);
    }

    @ParameterizedTest
    @MethodSource("beforeBegin")
    void isRefusedBeforeItBegins(Case hostile) throws IOException {
        given();
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send(hostile.bytes() + SMUGGLED);

            thenRefused(hostile, client);
            assertThat(proxy.exchanges.begun).isEmpty();
            assertThat(proxy.exchanges.refused).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("beforeBegin")
    void isRefusedBeforeItBeginsHoweverItArrives(Case hostile) throws IOException {
        given();
        try (Wire client = Wire.to(proxy.http.address())) {
            client.trickle(hostile.bytes() + SMUGGLED);

            thenRefused(hostile, client);
            assertThat(proxy.exchanges.begun).isEmpty();
            assertThat(proxy.exchanges.refused).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("chunks")
    void breaksOffTheExchange(Case hostile) throws IOException {
        given();
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send(hostile.bytes() + SMUGGLED);

            thenRefused(hostile, client);
            assertThat(proxy.exchanges.begun).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("chunks")
    void breaksOffTheExchangeHoweverItArrives(Case hostile) throws IOException {
        given();
        try (Wire client = Wire.to(proxy.http.address())) {
            client.trickle(hostile.bytes() + SMUGGLED);

            thenRefused(hostile, client);
            assertThat(proxy.exchanges.begun).hasSize(1);
        }
    }

    private void given() {
        proxy.exchanges.begun.clear();
        proxy.exchanges.refused.clear();
    }

    private void thenRefused(Case hostile, Wire client) throws IOException {
        Wire.Message response = client.response();
        assertThat(response.status()).isEqualTo(hostile.status());
        assertThat(response.field("Connection")).isEqualTo("close");
        assertThat(client.readToEnd()).isEmpty();
        assertThat(proxy.exchanges.begun.stream().map(b -> b.head().path())).doesNotContain("/smuggled");
    }

    private static Case bad(String name, String bytes) {
        return new Case(name, 400, bytes);
    }

    @org.junit.jupiter.api.Test
    void thereAreEnoughCases() {
        assertThat(Stream.concat(beforeBegin(), chunks())
                        .map(Case::name)
                        .distinct()
                        .count())
                .isGreaterThan(100);
        assertThat(Arrays.asList(beforeBegin().toArray())).doesNotHaveDuplicates();
    }
}
