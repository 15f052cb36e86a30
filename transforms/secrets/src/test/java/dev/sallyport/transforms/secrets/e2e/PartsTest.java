package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A value that is stored whole and fetched in parts (RFC 9110, 14). */
class PartsTest {

    private static final String REAL = "q7Zt2LmWd9kRx4Vb6Hn3YpG8sJcBfK";
    private static final String STORED = "-".repeat(40) + REAL + "=".repeat(40);
    private static final int FROM = STORED.indexOf(REAL);

    @TempDir
    Path folder;

    /** The answer of an origin that returns this part of what it has stored. */
    private static String part(String head, int from, int to) {
        String content = STORED.substring(from, to);
        return "HTTP/1.1 " + head.replace("RANGE", "bytes " + from + "-" + (to - 1) + "/" + STORED.length())
                + "\r\nContent-Length: " + content.length() + "\r\n\r\n" + content;
    }

    private String ask(String answer, String... fields) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(answer);
        })) {
            return echo.ask("GET /x", fields);
        }
    }

    /** None of the pieces of five characters of the value. */
    private static void hidden(String answer) {
        for (int from = 0; from + 5 <= REAL.length(); from++) {
            assertThat(answer).doesNotContain(REAL.substring(from, from + 5));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-ms-range",
                "x-ms-range-get-content-md5",
                "x-ms-range-get-content-crc64",
                "Request-Range",
                "X-Range",
                "x-goog-range",
                "Range",
                "A-IM"
            })
    void partsAreNotAskedForUnderAnyName(String name) throws Exception {
        AtomicReference<String> seen = new AtomicReference<>("");
        try (Echo echo = new Echo(folder, REAL, origin -> {
            seen.set(origin.readHead());
            origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        })) {
            echo.ask("GET /x", name + ": bytes=0-21");

            assertThat(seen.get())
                    .contains(REAL)
                    .doesNotContainIgnoringCase("range")
                    .doesNotContainIgnoringCase("a-im");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "206 Partial Content\\nContent-Range: RANGE",
        "206 Partial Content",
        "200 OK\\nContent-Range: RANGE",
        "203 Fine\\nContent-Range: octets 1-2/3",
        "404 Not Found\\nContent-Range: RANGE",
        "206 Partial Content\\nContent-Range: Bytes=5-9/*"
    })
    void twoPartsDoNotGiveItAway(String head) throws Exception {
        String lines = head.replace("\\n", "\r\n");
        for (int cut : new int[] {FROM + 6, FROM + 22}) {
            hidden(ask(part(lines, 0, cut)));
            hidden(ask(part(lines, cut, STORED.length())));
        }
        hidden(ask(part(lines, FROM + 2, FROM + 2 + 17)));
    }

    @Test
    void partsOfOtherContentPassByteForByte() throws Exception {
        String answer = part("206 Partial Content\r\nContent-Range: RANGE", 0, 30);
        assertThat(ask(answer)).startsWith("HTTP/1.1 206 ").endsWith("\r\n\r\n" + STORED.substring(0, 30));
    }

    @Test
    void aWholeValueInAPartIsReplacedAtItsLength() throws Exception {
        String answer = ask(part("206 Partial Content\r\nContent-Range: RANGE", 1, STORED.length() - 1));

        assertThat(answer)
                .contains("Content-Length: " + (STORED.length() - 2))
                .endsWith("-PLACEHOLDER" + "x".repeat(REAL.length() - "PLACEHOLDER".length()) + "=".repeat(39));
    }

    /** One value goes over the first edge, and the same value over the second one. */
    @Test
    void theRecordCountsTheEdges() throws Exception {
        String content = REAL.substring(10) + "-".repeat(20) + REAL.substring(0, 10);
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-59/99\r\nContent-Length: 50\r\n\r\n"
                    + content);
        })) {
            assertThat(echo.ask("GET /x")).endsWith("x".repeat(20) + "-".repeat(20) + "x".repeat(10));
            echo.close();
            assertThat(echo.audited()).contains("\"masked_edges\":2");
        }
    }

    @Test
    void thePartThatIsTheWholeIsSearchedAsSuch() throws Exception {
        String answer = ask(part("206 Partial Content\r\nContent-Range: RANGE", 0, STORED.length()));

        assertThat(answer).startsWith("HTTP/1.1 206 ").contains("-PLACEHOLDER=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "206 Partial Content\nContent-Type: multipart/byteranges; boundary=b",
                "200 OK\nContent-Type: Multipart/ByteRanges",
                "206 Partial Content\nContent-Type: multipart/x-byteranges; boundary=b",
                "206 Partial Content\nContent-Type: multipart/mixed; boundary=b",
                "206 Partial Content\nContent-Encoding: gzip\nContent-Range: bytes 3-60/100",
                "206 Partial Content\nContent-Range: bytes 40-50/100",
                "206 Partial Content\nContent-Range: bytes 40-90/100\nContent-Range: bytes 40-90/100",
                "206 Partial Content\nContent-Range: bytes */100",
                "206 Partial Content\nContent-Range: bytes 99999999999999999999-1/100"
            })
    void whatCannotBeSearchedIsRefused(String head) throws Exception {
        String answer = ask(part(head.replace("\n", "\r\n"), FROM, FROM + 11));

        assertThat(answer).startsWith("HTTP/1.1 502 ").contains("unsearchable_part");
        hidden(answer);
    }

    @Test
    void anErrorThatNamesTheLengthOfTheWholeIsNoPart() throws Exception {
        assertThat(ask(part("416 Range Not Satisfiable\r\nContent-Range: bytes */100", 0, 10)))
                .startsWith("HTTP/1.1 416 ")
                .endsWith("\r\n\r\n" + STORED.substring(0, 10));
    }

    /** A workload that stores its guesses of how a value goes on would learn it byte by byte. */
    @Test
    void guessesEndSoon() throws Exception {
        String head = "206 Partial Content\r\nContent-Range: RANGE";
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(part(head, 0, FROM + 6));
        })) {
            for (int i = 0; i < 3; i++) {
                assertThat(echo.ask("GET /x")).endsWith("-xxxxxx");
            }
            assertThat(echo.ask("GET /x")).contains("unsearchable_part");
            echo.close();
            assertThat(echo.audited().split("\"masked_edges\":1", -1)).hasSize(3 + 1);
        }
    }

    /** As many at once as it likes. */
    @Test
    void guessesThatAreUnderWayEndWithTheOthers() throws Exception {
        String answer = part("206 Partial Content\r\nContent-Range: RANGE", 0, FROM + 6);
        List<CountDownLatch> goingOn =
                Stream.generate(() -> new CountDownLatch(1)).limit(4).toList();
        try (Echo echo = new Echo(folder, REAL, origin -> {
            int number = Integer.parseInt(origin.readHead().substring("GET /".length(), "GET /".length() + 1));
            origin.send(answer.substring(0, answer.length() - 8));
            assertThat(goingOn.get(number).await(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            origin.send(answer.substring(answer.length() - 8));
        })) {
            List<Wire> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(echo.client().send(echo.request("GET /" + i)));
                assertThat(clients.get(i).readHead()).startsWith("HTTP/1.1 206 ");
            }
            for (int i = 0; i < 4; i++) {
                goingOn.get(i).countDown();
                String rest = clients.get(i).readToEnd();
                if (i < 3) {
                    assertThat(rest).endsWith("-xxxxxx");
                } else {
                    assertThat(rest).hasSizeLessThan(FROM).matches("-+");
                }
                clients.get(i).close();
            }
        }
    }

    @Test
    void soItIsOverHttp2() throws Exception {
        try (Echo echo = new Echo(folder, REAL, PartsTest::halves);
                Wire connection = echo.client()) {
            Http2Peer client = Http2Peer.connect(connection);
            for (int stream = 1; stream <= 3; stream += 2) {
                client.headers(
                        stream,
                        true,
                        ":method",
                        "GET",
                        ":scheme",
                        "http",
                        ":path",
                        stream == 1 ? "/head" : "/tail",
                        ":authority",
                        echo.authority(),
                        "x-range",
                        "bytes=1-2",
                        "authorization",
                        "Bearer PLACEHOLDER");
                Http2Message answer = client.message();
                assertThat(answer.body()).as("%s", answer).hasSize(62);
                hidden(answer.body());
            }
        }
    }

    private static void halves(Wire connection) throws Exception {
        Http2Peer origin = Http2Peer.accept(connection);
        for (int i = 0; i < 2; i++) {
            Http2Message request = origin.message();
            String lines = String.join("\n", Http2Peer.lines(request.sections().getFirst()));
            assertThat(lines).doesNotContain("range");
            boolean tail = lines.contains("/tail");
            int from = tail ? STORED.length() - 62 : 0;
            origin.headers(
                    request.stream(),
                    false,
                    ":status",
                    "206",
                    "content-range",
                    "bytes " + from + "-" + (from + 61) + "/" + STORED.length());
            origin.data(request.stream(), true, STORED.substring(from, from + 62));
        }
        connection.readToEnd(); // Closing with frames unread would take back what was sent.
    }
}
