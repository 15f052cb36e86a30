package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that can be read in more than one way: from origins, and from our own side. */
class MalformedMessagesTest {

    private static final String OK = "HTTP/1.1 200 OK\r\n";

    static Stream<Arguments> heads() {
        return Stream.of(
                Arguments.of(
                        "two lengths and chunked",
                        OK + "Content-Length: 5\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"),
                Arguments.of(
                        "a length that is none and chunked",
                        OK + "Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n"),
                Arguments.of(
                        "three lengths, two equal",
                        OK + "Content-Length: 5\r\n".repeat(2) + "Content-Length: 6\r\n\r\n"),
                Arguments.of("a length and a list of others", OK + "Content-Length: 5\r\nContent-Length: 5, 6\r\n\r\n"),
                Arguments.of(
                        "a length that is empty the second time", OK + "Content-Length: 5\r\nContent-Length:\r\n\r\n"),
                Arguments.of("two lengths", OK + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
                Arguments.of("two lengths in one line", OK + "Content-Length: 5, 6\r\n\r\n"),
                Arguments.of(
                        "two lengths before HTTP/1.1",
                        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
                Arguments.of("a list of lengths", OK + "Content-Length: 5, 6\r\n\r\n"),
                Arguments.of("a negative length", OK + "Content-Length: -5\r\n\r\n"),
                Arguments.of("a signed length", OK + "Content-Length: +5\r\n\r\n"),
                Arguments.of("a length of 19 digits", OK + "Content-Length: 1000000000000000000\r\n\r\nx"),
                Arguments.of("an empty length", OK + "Content-Length:\r\n\r\n"),
                Arguments.of("a length and a comma", OK + "Content-Length: 5,\r\n\r\n"),
                Arguments.of("a length that is none", OK + "Content-Length: x\r\n\r\n"),
                Arguments.of("a coding not asked for", OK + "Transfer-Encoding: gzip, chunked\r\n\r\n"),
                Arguments.of("a coding that is not chunked", OK + "Transfer-Encoding: gzip\r\n\r\n"),
                Arguments.of("chunked within another coding", OK + "Transfer-Encoding: chunked, gzip, chunked\r\n\r\n"),
                Arguments.of(
                        "a coding, and a length", OK + "Transfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n\r\n"),
                Arguments.of("chunked on two lines", OK + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n"),
                Arguments.of("chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                Arguments.of("a folded first line", OK + " X: a\r\n\r\n"),
                Arguments.of("a bare CR in a value", OK + "X: a\rb\r\n\r\n"),
                Arguments.of("a bare CR in a value before LF alone", OK + "X: a\rb\n\n"),
                Arguments.of("a bare CR in the reason before LF alone", "HTTP/1.1 200 O\rK\nContent-Length: 0\n\n"),
                Arguments.of("a bare CR where a line is folded", OK + "X: a\r\r\n b\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("a NUL in a folded line", OK + "X: a\r\n b\0\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of(
                        "two lengths, one of them folded", OK + "Content-Length: 5\r\nContent-Length:\r\n 6\r\n\r\n"),
                Arguments.of("two lengths before LF alone", OK + "Content-Length: 5\nContent-Length: 6\n\n"),
                Arguments.of("a length of which half is folded", OK + "Content-Length: 1\r\n 0\r\n\r\n0123456789"),
                Arguments.of("a folded coding not asked for", OK + "Transfer-Encoding: gzip,\r\n chunked\r\n\r\n"),
                Arguments.of("a folded first line before LF alone", OK + " X: a\n\n"),
                Arguments.of("fields too long before LF alone", OK + "X: 123456\n".repeat(1000) + "\n"),
                Arguments.of("a field that is folded too often", OK + "X: a\r\n" + " b\r\n".repeat(3000) + "\r\n"),
                Arguments.of("a NUL in a value", OK + "X: a\0b\r\n\r\n"),
                Arguments.of("a NUL in the reason", "HTTP/1.1 200 O\0K\r\n\r\n"),
                Arguments.of("NUL in a line without colon", OK + "non\0sense\r\n\r\n"),
                Arguments.of("a bare CR in a line without colon", OK + "non\rsense\r\n\r\n"),
                Arguments.of("a bare CR in a bad name", OK + "X Y\r: a\r\n\r\n"),
                Arguments.of("NUL behind a bad name", OK + "X Y: \0\r\n\r\n"),
                Arguments.of("lines without colon, without end", OK + "nonsense\r\n".repeat(1000) + "\r\n"),
                Arguments.of("a status too low", "HTTP/1.1 099 Hm\r\n\r\n"),
                Arguments.of("a status too high", "HTTP/1.1 1000 Hm\r\n\r\n"),
                Arguments.of("a status with a sign", "HTTP/1.1 +200 OK\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("a status with a zero in front", "HTTP/1.1 0200 OK\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("a status that is none", "HTTP/1.1 abc OK\r\n\r\n"),
                Arguments.of("another version", "HTTP/2.0 200 OK\r\n\r\n"),
                Arguments.of("another protocol", "SSH-2.0-OpenSSH_9.6\r\n"),
                Arguments.of("garbage", "\u0016\u0003\u0001 \0\0\r\n\r\n"),
                Arguments.of("a status line too long", "HTTP/1.1 200 " + "a".repeat(9000) + "\r\n\r\n"),
                Arguments.of("fields too long", OK + "X: 123456\r\n".repeat(1000) + "\r\n"),
                Arguments.of("a head that breaks off", OK + "X: a\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("heads")
    void refusesAResponseHeadWith(String what, String sent) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(sent);
                });
                Client client = Client.plain()) {
            UpstreamFailure failure =
                    client.send(Client.route(origin.port()), "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.message()).startsWith("origin.test:" + origin.port() + ": response head: ");
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
            assertThat(client.pools.stats().idle()).isZero();
        }
    }

    /** The request is still under way, so that its response does not end the exchange. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
                "nonsense\r\n\r\n"
            })
    void tellsOfNothingBehindTheResponse(String more) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(OK + "Content-Length: 5\r\n\r\nfirst" + more);
                    peer.readToEnd();
                    closed.countDown();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            client.run(() -> recorder.stream.head(Client.head("POST", 9), false));

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("first");
            assertThat(closed.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.run(() -> recorder.stream.data(Unpooled.wrappedBuffer(new byte[9])));
            client.run(() -> recorder.stream.end(new HeaderBlock(1)));
            assertThat(recorder.isSilent()).isTrue();
            assertThat(client.pools.stats().idle()).isZero();
        }
    }

    @Test
    void dropsWhiteSpaceBeforeTheColonAsRfc9112DemandsOfProxies() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(OK + "X \t: a\r\nContent-Length: 0\r\n\r\n");
                });
                Client client = Client.plain()) {
            Recorder.Head head = client.send(Client.route(origin.port()), "GET").await(Recorder.Head.class);

            assertThat(head.head().headers().name(0)).isEqualTo("X");
            assertThat(head.head().headers().value(0)).isEqualTo("a");
            assertThat(head.head().tolerated()).containsExactly("field_white_space");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5, 5\r\n"})
    void collapsesEqualLengthsToOneAsRfc9110Allows(String lengths) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(OK + lengths + "\r\nhello");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            assertThat(head.head().headers().all("Content-Length")).containsExactly("5");
            assertThat(head.head().length()).isEqualTo(5);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("hello");
            assertThat(head.head().tolerated()).containsExactly("length_repeated");
        }
    }

    /** RFC 9110, 15: an unknown status is for the client to make sense of. */
    @ParameterizedTest
    @ValueSource(strings = {"999 Request denied", "600 "})
    void passesOnAStatusOutsideOfTheKnownClasses(String status) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 " + status + "\r\nContent-Length: 1\r\n\r\nx");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            assertThat(head.head().status() + " " + head.head().reason()).isEqualTo(status);
            assertThat(head.head().tolerated()).containsExactly("status_range");
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("x");
        }
    }

    static Stream<Arguments> chunks() {
        return Stream.of(
                Arguments.of("a size that is none", "xyz\r\n"),
                Arguments.of("a negative size", "-1\r\n"),
                Arguments.of("an empty size", "\r\n"),
                Arguments.of("a size in front of white space", "5 x\r\nhello\r\n"),
                Arguments.of("a size that overflows", "fffffffffffffffff\r\n"),
                Arguments.of("a size line with a bare LF", "5\nhello\r\n"),
                Arguments.of("a chunk without CRLF", "5\r\nhelloXX5\r\n"),
                Arguments.of("a size behind white space", " 5\r\nhello\r\n"),
                Arguments.of("a size in front of white space and more", "5  x\r\nhello\r\n"),
                Arguments.of("a size with a prefix", "0x5\r\nhello\r\n"),
                Arguments.of("NUL in a trailer without colon", "0\r\nnon\0sense\r\n\r\n"),
                Arguments.of("trailers without colon, without end", "0\r\n" + "nonsense\r\n".repeat(1000) + "\r\n"),
                Arguments.of("an end that breaks off", "5\r\nhello\r\n0\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("chunks")
    void failsAChunkedBodyWith(String what, String sent) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(OK + "Transfer-Encoding: chunked\r\n\r\n" + sent);
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            recorder.await(Recorder.Head.class);
            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
        }
    }

    @Test
    void doesNotQuoteTheOriginInFailures() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 s3cret OK\r\n\r\n");
                });
                Client client = Client.plain()) {
            assertThat(client.send(Client.route(origin.port()), "GET").failure().message())
                    .doesNotContain("s3cret");
        }
    }

    static Stream<Arguments> requests() {
        return Stream.of(
                Arguments.of("a line break in a value", Client.head("GET", 0, "X", "a\r\nHost: evil"), true),
                Arguments.of("a NUL in a value", Client.head("GET", 0, "X", "a\0"), true),
                Arguments.of("a wide character in a value", Client.head("GET", 0, "X", "\u0a0d"), true),
                Arguments.of("a name that is none", Client.head("GET", 0, "X\r\nY", "a"), true),
                Arguments.of("a method that is none", Client.head("GET /", 0), true),
                Arguments.of("a Transfer-Encoding", Client.head("POST", -1, "Transfer-Encoding", "x"), false),
                Arguments.of(
                        "two lengths", Client.head("POST", 5, "Content-Length", "5", "content-length", "5"), false),
                Arguments.of("another length", Client.head("POST", 5, "Content-Length", "6"), false),
                Arguments.of("a length for an unknown one", Client.head("POST", -1, "Content-Length", "6"), false),
                Arguments.of("a length without a body", Client.head("POST", 5, "Content-Length", "5"), true),
                Arguments.of("white space in the target", target("/a HTTP/1.1", ""), true),
                Arguments.of("a line break in the query", target("/", "a\nb"), true));
    }

    private static RequestMessage target(String path, String query) {
        RequestMessage head = Client.head("GET", 0);
        return new RequestMessage(head.method(), path, query, head.headers(), 0);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("requests")
    void sendsNoRequestWith(String what, RequestMessage head, boolean end) throws Exception {
        try (TestOrigin origin =
                        TestOrigin.of(peer -> assertThat(peer.in().read()).isNegative());
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(head, end));

            assertThat(recorder.failure().message()).contains("request head: ");
        }
    }

    @Test
    void releasesWhatFollowsAFaultAndIsSilentAfterAbort() throws Exception {
        try (TestOrigin origin =
                        TestOrigin.of(peer -> assertThat(peer.in().read()).isNegative());
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> {
                recorder.stream.head(Client.head("GET", 0, "X", "\n"), false);
                recorder.stream.data(Unpooled.buffer().writeInt(1));
                recorder.stream.end(new HeaderBlock(1));
                recorder.stream.abort();
            });

            client.run(() -> {}); // after whatever the loop still had to do
            assertThat(recorder.isSilent()).isTrue();
        }
    }

    @Test
    void breaksOffARequestBodyLongerThanItsLength() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            client.run(() -> recorder.stream.head(Client.head("PUT", 3, "Content-Length", "3"), false));

            client.data(recorder, "abcGET /smuggled HTTP/1.1");

            assertThat(recorder.failure().message()).contains("longer than its Content-Length");
        }
    }

    @Test
    void breaksOffARequestBodyShorterThanItsLength() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            client.run(() -> recorder.stream.head(Client.head("PUT", 3, "Content-Length", "3"), false));
            client.data(recorder, "ab");

            client.end(recorder);

            assertThat(recorder.failure().message()).contains("shorter than its Content-Length");
        }
    }
}
