package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Heads of origins that no standard allows and that every client reads: they are delivered in one clean framing, the record
 * says what was tolerated, and the connection is not used again (docs/spec/decisions.md, section 20).
 */
@Timeout(60)
class LenientHeadsTest {

    @TempDir
    Path folder;

    /** The answer of an origin to the first request, and what became of it. */
    private record Delivered(Wire.Message message, List<String> tolerated, int connections) {}

    private Delivered deliver(String method, String answer) throws Exception {
        TestOrigin.Script first = peer -> {
            peer.readHead();
            peer.send(answer);
            peer.readToEnd();
        };
        try (TestOrigin origin = TestOrigin.of(first, TestOrigin.always(TestOrigin.ok("second")));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head(method + " /x HTTP/1.1", "Host: " + origin.authority()));
            Wire.Message message = method.equals("HEAD") ? client.headOnly() : client.response();
            List<String> tolerated = proxy.record()
                    .path("tolerated")
                    .valueStream()
                    .map(JsonNode::asText)
                    .toList();

            assertThat(client.get("/y", origin.authority()).body()).isEqualTo("second");
            return new Delivered(message, tolerated, origin.connections());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chunked, chunked||chunked_twice",
                "chunked~Transfer-Encoding: chunked||chunked_twice",
                "Chunked,CHUNKED , chunked||chunked_twice",
                "chunked|Content-Length: 5~|length_beside_chunked",
                "chunked|Content-Length: 9~|length_beside_chunked",
                "chunked|Content-Length: 5~Content-Length: 5~|length_repeated,length_beside_chunked",
                "chunked, chunked|Content-Length: 0~|chunked_twice,length_beside_chunked",
                "chunked,||coding_token",
                ", chunked||coding_token",
                "identity, chunked||coding_token",
                "chunked~Transfer-Encoding: identity|Content-Length: 9~|coding_token,length_beside_chunked",
            })
    void chunksDelimitWhatIsDeliveredInChunks(String codings, String before, String codes) throws Exception {
        Delivered got = deliver(
                "GET",
                ("HTTP/1.1 200 OK~" + (before == null ? "" : before) + "Transfer-Encoding: " + codings + "~~")
                                .replace("~", "\r\n")
                        + "5\r\nhello\r\n0\r\n\r\n");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.fields().stream().filter(field -> field.matches("(?i)(content-length|transfer-enc).*")))
                .containsExactly("Transfer-Encoding: chunked");
        assertThat(got.tolerated).containsExactly(codes.split(","));
        assertThat(got.connections).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK~Content-Length: 5~Content-Length: 5~~",
                "HTTP/1.1 200 OK~Content-Length: 5~X: y~content-length:5 ~~",
                "HTTP/1.1 200 OK~Content-Length: 5, 5~~",
                "HTTP/1.1 200 OK~Content-Length: 5,5~Content-Length: 5~~",
                "HTTP/1.0 200 OK~Content-Length: 5~Content-Length: 5~~"
            })
    void theSameLengthIsDeliveredOnce(String answer) throws Exception {
        Delivered got = deliver("GET", answer.replace("~", "\r\n") + "hello");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.fields().stream().filter(field -> field.matches("(?i)content-length.*")))
                .singleElement()
                .asString()
                .isEqualToIgnoringCase("Content-Length: 5");
        assertThat(got.tolerated).containsExactly("length_repeated");
        assertThat(got.connections).isEqualTo(2);
    }

    /** RFC 2616 had a transfer coding that is none. */
    @ParameterizedTest
    @ValueSource(strings = {"identity", "Identity, ", ""})
    void transferCodingsThatAreNoneLeaveTheLength(String codings) throws Exception {
        Delivered got = deliver(
                "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: " + codings + "\r\n\r\nhello");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.fields()).containsExactly("Content-Length: 5");
        assertThat(got.tolerated).containsExactly("coding_token");
        assertThat(got.connections).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"'5  ', '0', chunk_white_space", "'5\t', '0    ', chunk_white_space", "'05', '0 \t', chunk_white_space"
    })
    void sizesOfChunksMayBeFilledUpWithWhiteSpace(String size, String last, String code) throws Exception {
        Delivered got = deliver(
                "GET",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + size + "\r\nhello\r\n" + last + "\r\n\r\n");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.tolerated).containsExactly(code);
        assertThat(got.connections).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "X Y: bad", ": bad"})
    void trailersThatAreNoFieldsAreDropped(String bad) throws Exception {
        Delivered got = deliver(
                "GET",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" + bad + "\r\nX: y\r\n" + bad
                        + "\r\n\r\n");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.trailers()).containsExactly("X: y");
        assertThat(got.tolerated).containsExactly("field_line");
        assertThat(got.connections).isEqualTo(2);
    }

    /** RFC 9112, 5.2: what was folded is joined by blanks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X: a~ b~Content-Length: 5~~|folded_field",
                "X: a~\tb~Content-Length: 5~~|folded_field",
                "Content-Length:~ 5~X: a~ ~  b~~|folded_field",
                "nonsense~ more~X: a b~Content-Length: 5~~|folded_field,field_line",
                "X: a b^Content-Length: 5^^|bare_line_feed",
                "X: a b^Content-Length: 5~^|bare_line_feed",
                "X: a^ b~Content-Length: 5~~|folded_field",
                "Content-Length: 5^Content-Length: 5^X: a b^^|bare_line_feed,length_repeated",
                "nonsense^X: a b^Content-Length: 5^^|bare_line_feed,field_line",
            })
    void foldedLinesAndThoseThatEndInLineFeedAloneAreRead(String fields, String codes) throws Exception {
        String head = fields.replace("~", "\r\n").replace("^", "\n");
        Delivered got = deliver("GET", "HTTP/1.1 200 OK\r\n" + head + "hello");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.field("X").replaceAll("\\s+", " ")).isEqualTo("a b");
        assertThat(got.message.field("Content-Length")).isEqualTo("5");
        assertThat(got.tolerated).containsExactlyInAnyOrder(codes.split(","));
        assertThat(got.connections).isEqualTo(2);
    }

    @Test
    void aHeadWithoutAnyCarriageReturnIsRead() throws Exception {
        Delivered got = deliver("GET", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.tolerated).containsExactly("bare_line_feed");
        assertThat(got.connections).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X: a~ b~~|folded_field",
                "X: a b^^|bare_line_feed",
                "nonsense^X: a b^~|bare_line_feed,field_line",
                "nonsense~ b~X: a b~~|folded_field,field_line"
            })
    void theSameIsReadInTrailers(String trailers, String codes) throws Exception {
        Delivered got = deliver(
                "GET",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
                        + trailers.replace("~", "\r\n").replace("^", "\n"));

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.trailers())
                .singleElement()
                .satisfies(
                        trailer -> assertThat(trailer.replaceAll("\\s+", " ")).isEqualTo("X: a b"));
        assertThat(got.tolerated).containsExactlyInAnyOrder(codes.split(","));
        assertThat(got.connections).isEqualTo(2);
    }

    @Test
    void linesThatAreEndedOddlyAreReadAlikeInSegmentsOfOneByte() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.trickle("HTTP/1.1 200 OK\nX: a\r\n b\n c\r\nnonsense\nContent-Length: 5\n\r\nhello");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Wire.Message got = client.get("/x", origin.authority());

            assertThat(got.body()).isEqualTo("hello");
            assertThat(got.field("X").replaceAll("\\s+", " ")).isEqualTo("a b c");
            assertThat(proxy.record().path("tolerated").valueStream().map(JsonNode::asText))
                    .containsExactlyInAnyOrder("bare_line_feed", "folded_field", "field_line");
        }
    }

    @Test
    void aBodyInSegmentsOfOneByteIsReadAlike() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    peer.trickle(
                            "5  \r\n2 \r\n0\r\n15 ; a=b\r\n0123456789 9876543210\r\n0 \r\nnonsense\r\nX: y\r\n\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Wire.Message got = client.get("/x", origin.authority());

            assertThat(got.body()).isEqualTo("2 \r\n00123456789 9876543210");
            assertThat(got.trailers()).containsExactly("X: y");
            assertThat(proxy.record().path("tolerated").valueStream().map(JsonNode::asText))
                    .containsExactlyInAnyOrder("chunk_white_space", "field_line");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no colon at all",
                "nonsense",
                "X Y: bad",
                "Transfer-Encoding x: chunked",
                "X(bad): y",
                "X\u00e9: bad",
                ": bad",
                "HTTP/1.1 200 bad",
                "X Y: bad~nonsense~: bad"
            })
    void linesThatAreNoFieldsAreDropped(String bad) throws Exception {
        String line = bad.replace("~", "\r\n");
        Delivered got = deliver(
                "GET", "HTTP/1.1 200 OK\r\n" + line + "\r\nX: y\r\n" + line + "\r\nContent-Length: 5\r\n\r\nhello");

        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.message.head()).doesNotContain("bad", "nonsense", "colon", "chunked");
        assertThat(got.message.field("X")).isEqualTo("y");
        assertThat(got.tolerated).containsExactly("field_line");
        assertThat(got.connections).isEqualTo(2);
    }

    @Test
    void aHeadInSegmentsOfOneByteIsReadAlike() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.trickle(
                            "HTTP/1.1 200 OK\r\nnonsense\r\nX: y\r\nContent-Length: 5\r\nContent-Length: 5\r\n: z\r\n\r\n"
                                    + "hello");
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start()) {
            Wire.Message got = proxy.get(origin, "/x");

            assertThat(got.body()).isEqualTo("hello");
            assertThat(got.field("X")).isEqualTo("y");
            assertThat(proxy.record().path("tolerated").valueStream().map(JsonNode::asText))
                    .containsExactlyInAnyOrder("field_line", "length_repeated");
        }
    }

    @Test
    void whiteSpaceBeforeAColonIsDropped() throws Exception {
        Delivered got = deliver("GET", "HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 5\r\n\r\nhello");

        assertThat(got.message.fields()).contains("X: y");
        assertThat(got.tolerated).containsExactly("field_white_space");
        assertThat(got.connections).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"600", "999"})
    void unknownStatusesPass(String status) throws Exception {
        Delivered got = deliver("GET", "HTTP/1.1 " + status + " No\r\nContent-Length: 5\r\n\r\nhello");

        assertThat(got.message.startLine()).isEqualTo("HTTP/1.1 " + status + " No");
        assertThat(got.message.body()).isEqualTo("hello");
        assertThat(got.tolerated).containsExactly("status_range");
    }

    @Test
    void theAnswerToHeadHasNoDoubtfulFraming() throws Exception {
        Delivered got = deliver("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");

        assertThat(got.message.fields()).noneMatch(field -> field.matches("(?i)(content-length|transfer-enc).*"));
        assertThat(got.tolerated).containsExactly("length_beside_chunked");
        assertThat(got.connections).isEqualTo(2);
    }

    @Test
    void anInterimHeadIsPutRightToo() throws Exception {
        TestOrigin.Script first = peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 103 Early Hints\r\nnonsense\r\nLink: </a>\r\n\r\n" + TestOrigin.ok("hello"));
            peer.readToEnd();
        };
        try (TestOrigin origin = TestOrigin.of(first, TestOrigin.always(TestOrigin.ok("second")));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            assertThat(client.get("/x", origin.authority()).head()).isEqualTo("HTTP/1.1 103 Early Hints\r\nLink: </a>");
            assertThat(client.response().body()).isEqualTo("hello");
            assertThat(proxy.record().path("tolerated").path(0).asText()).isEqualTo("field_line");

            assertThat(client.get("/y", origin.authority()).body()).isEqualTo("second");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5~Content-Length: 6~",
                "Content-Length: 5, 6~",
                "Content-Length: 5~Content-Length: 6~Transfer-Encoding: chunked~",
                "Transfer-Encoding: gzip, chunked~",
                "Content-Length: 5~non\0sense~",
                "Content-Length: 5~non\rsense~",
            })
    void whatCanBeReadInTwoWaysIsRefused(String fields) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\n" + fields.replace("~", "\r\n") + "\r\nhello");
                });
                TestProxy proxy = TestProxy.builder(folder).start()) {
            assertThat(proxy.get(origin, "/x").status()).isEqualTo(502);
            assertThat(proxy.record().path("tolerated").isMissingNode()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5~~hello",
                "Transfer-Encoding: chunked~~5~hello~0~~",
                "Transfer-Encoding: chunked~~2~he~3;a=b~llo~0~X: y~~"
            })
    void whatIsWellFormedIsNotNotedAndItsConnectionIsUsedAgain(String answer) throws Exception {
        try (TestOrigin origin = TestOrigin.answering(("HTTP/1.1 200 OK~" + answer).replace("~", "\r\n"));
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            assertThat(client.get("/x", origin.authority()).body()).isEqualTo("hello");
            assertThat(client.get("/y", origin.authority()).body()).isEqualTo("hello");

            assertThat(proxy.record().path("tolerated").isMissingNode()).isTrue();
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void overHttp2ValuesAreTrimmedAndUnknownStatusesPass() throws Exception {
        TestCertificates certificates = new TestCertificates(folder, "localhost");
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "999", "x", " y\t", "z", "\t", "content-length", "5 ");
                    wire.data(stream, true, "hello");
                    peer.readToEnd();
                });
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: localhost:" + origin.port()));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire client = tunnel.tls(certificates.client, "localhost")) {
                Wire.Message got = client.get("/x", "localhost:" + origin.port());

                assertThat(got.startLine()).startsWith("HTTP/1.1 999");
                assertThat(got.fields()).contains("x: y", "z: ", "content-length: 5");
                assertThat(got.body()).isEqualTo("hello");
            }
            JsonNode record = proxy.record();
            assertThat(record.path("tolerated").valueStream().map(JsonNode::asText))
                    .containsExactlyInAnyOrder("field_white_space", "status_range");
        }
    }
}
