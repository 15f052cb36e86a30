package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.testsupport.WebSocketFrames.BINARY;
import static dev.sallyport.testsupport.WebSocketFrames.CLOSE;
import static dev.sallyport.testsupport.WebSocketFrames.CONTINUATION;
import static dev.sallyport.testsupport.WebSocketFrames.FIN;
import static dev.sallyport.testsupport.WebSocketFrames.PING;
import static dev.sallyport.testsupport.WebSocketFrames.PONG;
import static dev.sallyport.testsupport.WebSocketFrames.TEXT;
import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An origin that sends back what it got, in every place and form. The client must not see one real byte sequence. */
class EchoTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {200, 203, 302, 307, 400, 401, 403, 404, 418, 429, 500, 502, 503, 599})
    void noStatusAndNoFieldGivesItAway(int status) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            String got = got(origin.readHead());
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " No " + got + "\r\n");
            Forms.of(got).forEach(form -> head.append("X-Form: ").append(form).append("\r\n"));
            head.append("Location: https://example.com/next?t=")
                    .append(Forms.percent(got))
                    .append("&u=%2F#x\r\n")
                    .append("Set-Cookie: session=\"")
                    .append(Forms.json(got, false))
                    .append("\"; Path=/\r\n")
                    .append("www-authenticate: Basic realm=\"")
                    .append(got)
                    .append("\"\r\n")
                    .append("WWW-Authenticate: Bearer error=\"")
                    .append(Forms.percent(got))
                    .append("\"\r\nContent-Length: 0\r\n\r\n");
            origin.send(head.toString());
        })) {
            // when
            String answer = echo.ask("GET /x");

            // then
            assertThat(answer).startsWith("HTTP/1.1 " + status + " No PLACEHOLDER\r\n");
            assertThat(Leaks.of(answer, REAL)).isEmpty();
            assertThat(answer)
                    .contains("\r\nLocation: https://example.com/next?t=PLACEHOLDER&u=%2F#x\r\n")
                    .contains("\r\nSet-Cookie: session=\"PLACEHOLDER\"; Path=/\r\n")
                    .contains("\r\nwww-authenticate: Basic realm=\"PLACEHOLDER\"\r\n")
                    .contains("\r\nWWW-Authenticate: Bearer error=\"PLACEHOLDER\"\r\n");
            List<String> lines =
                    answer.lines().filter(line -> line.startsWith("X-Form:")).toList();
            assertThat(lines)
                    .hasSameSizeAs(Forms.of(REAL))
                    .allSatisfy(line -> assertThat(Leaks.of(line, PLACEHOLDER)).isNotEmpty());
            echo.close();
            assertThat(Leaks.of(echo.audited(), REAL)).isEmpty();
            assertThat(echo.audited())
                    .contains("\"redacted\":[{\"secret\":\"TOKEN\",\"locations\":[\"header:X-Form\"")
                    .contains(
                            "\"header:Location\"",
                            "\"header:Set-Cookie\"",
                            "\"header:Www-Authenticate\"",
                            "\"reason\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip", "deflate", "br", "zstd", "gzip, br"})
    void noBodyGivesItAway(String coding) throws Exception {
        Codings codings = Codings.parse(coding);
        for (boolean chunked : new boolean[] {false, true}) {
            try (Echo echo = new Echo(folder, REAL, origin -> {
                        Wire.Message came = origin.request();
                        String request = came.head() + "\r\n\r\n" + came.body();
                        byte[] body = encode(codings, String.join("\n", Forms.of(request)));
                        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: " + coding;
                        if (chunked) {
                            origin.send(head + "\r\nTransfer-Encoding: chunked\r\n\r\n");
                            for (int from = 0; from < body.length; from += 97) {
                                origin.chunk(Arrays.copyOfRange(body, from, Math.min(from + 97, body.length)));
                            }
                            origin.send("0\r\n\r\n");
                        } else {
                            origin.send(head + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                                    .send(body);
                        }
                    });
                    Wire client = echo.client()) {
                // when
                String content = "a body with PLACEHOLDER";
                client.send(echo.request("POST /x", "Content-Length: " + content.length()) + content);
                Wire.Message answer = client.response();

                // then
                String plain = decode(codings, answer.body().getBytes(StandardCharsets.ISO_8859_1));
                assertThat(answer.field("Content-Encoding")).isEqualTo(coding);
                assertThat(Leaks.of(plain, REAL)).isEmpty();
                assertThat(plain).contains("Authorization: Bearer PLACEHOLDER", "a body with PLACEHOLDER");
                assertThat(plain.split("\n"))
                        .filteredOn(line -> Leaks.of(line, PLACEHOLDER).isEmpty())
                        .filteredOn(line -> Leaks.of(line, "Authorization").size() > 0)
                        .isEmpty();
            }
        }
    }

    @Test
    void eventsGiveNothingAway() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    String got = got(origin.readHead());
                    origin.send(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                    for (String form : Forms.of(got)) {
                        byte[] event = ("data: " + form + "\n\n").getBytes(StandardCharsets.ISO_8859_1);
                        origin.chunk(event);
                    }
                    origin.send("0\r\n\r\n");
                });
                Wire client = echo.client()) {
            client.send(echo.request("GET /events"));
            String body = client.response().body();

            assertThat(Leaks.of(body, REAL)).isEmpty();
            assertThat(body.split("\n\n"))
                    .hasSize(Forms.of(REAL).size())
                    .allSatisfy(
                            event -> assertThat(Leaks.of(event, PLACEHOLDER)).isNotEmpty());
        }
    }

    @Test
    void anEventIsNotHeldUntilTheNextOne() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    String got = got(origin.readHead());
                    origin.send(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                    origin.chunk(("data: " + got + "\n\n").getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(heard.await(Patience.SECONDS, TimeUnit.SECONDS))
                            .as("the event was heard before the end")
                            .isTrue();
                    origin.send("0\r\n\r\n");
                });
                Wire client = echo.client()) {
            client.send(echo.request("GET /events"));
            client.readHead();

            StringBuilder event = new StringBuilder();
            while (!event.toString().endsWith("\n\n")) {
                event.append(client.read(Integer.parseInt(client.readLine(), 16)));
                assertThat(client.readLine()).isEmpty();
            }
            assertThat(event).hasToString("data: PLACEHOLDER\n\n");
            heard.countDown();
            assertThat(client.readToEnd()).isEqualTo("0\r\n\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TE: trailers", "X-No-TE: x"})
    void earlyHintsAndTrailersGiveNothingAway(String field) throws Exception {
        // What is there as a whole before its head has left gets a length, and no trailers unless they are asked for.
        CountDownLatch heard = new CountDownLatch(1);
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    String got = got(origin.readHead());
                    origin.send("HTTP/1.1 103 Hints " + got + "\r\nLink: </a?t=" + Forms.percent(got)
                            + ">; rel=preload\r\n\r\n");
                    origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Last\r\n\r\n");
                    assertThat(heard.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
                    origin.chunk("hello".getBytes(StandardCharsets.ISO_8859_1));
                    origin.send("0\r\nX-Last: " + got + "\r\nX-Last: " + Forms.percent(got) + "\r\n\r\n");
                });
                Wire client = echo.client()) {
            client.send(echo.request("GET /x", field));
            String answer = client.readHead() + "\r\n\r\n" + client.readHead();
            heard.countDown();
            answer += client.readToEnd();

            assertThat(Leaks.of(answer, REAL)).isEmpty();
            assertThat(answer)
                    .startsWith("HTTP/1.1 103 Hints PLACEHOLDER\r\nLink: </a?t=PLACEHOLDER>; rel=preload\r\n\r\n")
                    .endsWith("0\r\nX-Last: PLACEHOLDER\r\nX-Last: PLACEHOLDER\r\n\r\n");
            echo.close();
            assertThat(echo.audited()).contains("\"trailer:X-Last\"").doesNotContain("r34l");
        }
    }

    /** A request that was there before the value was sent for the first time. */
    @Test
    void anAnswerThatWaitedForItGivesNothingAway() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch stored = new CountDownLatch(1);
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    if (!origin.readHead().contains("Authorization")) {
                        waiting.countDown();
                        assertThat(stored.await(Patience.SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                        String hint = "HTTP/1.1 103 Hints\r\nLink: </a?t=" + Forms.percent(REAL) + ">\r\n\r\n";
                        origin.send(hint + "HTTP/1.1 200 OK\r\nContent-Length: " + REAL.length() + "\r\n\r\n" + REAL);
                    } else {
                        origin.send("HTTP/1.1 204 Stored\r\n\r\n");
                    }
                });
                Wire client = echo.client()) {
            client.send(Wire.head("GET /watch HTTP/1.1", "Host: " + echo.authority(), "Connection: close"));
            assertThat(waiting.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(echo.ask("GET /x")).startsWith("HTTP/1.1 204 ");
            stored.countDown();

            assertThat(client.readHead()).contains("103 Hints\r\nLink: </a?t=PLACEHOLDER>");
            assertThat(client.response().body()).isEqualTo("PLACEHOLDER");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD 200", "GET 204", "GET 304"})
    void responsesWithoutBodyAreTurnedBackToo(String row) throws Exception {
        String method = row.substring(0, row.indexOf(' '));
        String status = row.substring(row.indexOf(' ') + 1);
        try (Echo echo = new Echo(folder, REAL, origin -> {
            String got = got(origin.readHead());
            String coded = status.equals("204") ? "" : "Content-Encoding: gzip\r\nContent-Length: 100\r\n";
            origin.send("HTTP/1.1 " + status + " X\r\nX-Echo: " + got + "\r\n" + coded + "ETag: \"1\"\r\n\r\n");
        })) {
            String answer = echo.ask(method + " /x");

            assertThat(answer)
                    .startsWith("HTTP/1.1 " + status)
                    .contains("\r\nX-Echo: PLACEHOLDER\r\n")
                    .endsWith("\r\n\r\n");
            assertThat(Leaks.of(answer, REAL)).isEmpty();
        }
    }

    @Test
    void webSocketMessagesGiveNothingAway() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    String head = origin.readHead();
                    origin.send(WebSocketFrames.agreement(head));
                    for (String form : Forms.of(got(head))) {
                        int half = form.length() / 2;
                        origin.send(frame(TEXT, form.substring(0, half)));
                        origin.send(frame(FIN | CONTINUATION, form.substring(half)));
                    }
                    origin.send(WebSocketFrames.close(1000, false));
                    origin.readToEnd();
                });
                Wire client = echo.client()) {
            client.send("GET /ws HTTP/1.1\r\nHost: " + echo.authority()
                    + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer PLACEHOLDER\r\n\r\n");
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            for (String form : Forms.of(REAL)) {
                String message = WebSocketFrames.read(client).text();
                assertThat(Leaks.of(message, REAL)).isEmpty();
                assertThat(Leaks.of(message, PLACEHOLDER)).as(form).isNotEmpty();
            }
            client.close();
            echo.close();
            assertThat(echo.audited()).contains("\"redacted\":[{\"secret\":\"TOKEN\",\"locations\":[\"message\"]}]");
        }
    }

    @Test
    void pingsPongsBinaryMessagesAndCloseReasonsGiveNothingAway() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    String head = origin.readHead();
                    byte[] got = got(head).getBytes(StandardCharsets.ISO_8859_1);
                    origin.send(WebSocketFrames.agreement(head));
                    origin.send(WebSocketFrames.frame(FIN | PING, got, false));
                    origin.send(WebSocketFrames.frame(FIN | PONG, got, false));
                    origin.send(WebSocketFrames.frame(FIN | BINARY, got, false));
                    byte[] reason = new byte[2 + got.length];
                    reason[0] = 3;
                    reason[1] = (byte) 0xe8;
                    System.arraycopy(got, 0, reason, 2, got.length);
                    origin.send(WebSocketFrames.frame(FIN | CLOSE, reason, false));
                    origin.readToEnd();
                });
                Wire client = echo.client()) {
            client.send("GET /ws HTTP/1.1\r\nHost: " + echo.authority()
                    + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer PLACEHOLDER\r\n\r\n");
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            String shown = (PLACEHOLDER + "x".repeat(REAL.length())).substring(0, REAL.length());
            String length = String.valueOf((char) REAL.length());
            assertThat(client.read(2 + REAL.length())).isEqualTo("\u0089" + length + shown);
            assertThat(client.read(2 + REAL.length())).isEqualTo("\u008a" + length + shown);
            StringBuilder binary = new StringBuilder();
            for (int first = 0; (first & 0x80) == 0; ) {
                String frame = client.read(2);
                first = frame.charAt(0);
                binary.append(client.read(frame.charAt(1)));
            }
            assertThat(binary).hasToString(shown);
            assertThat(client.read(4 + REAL.length()))
                    .isEqualTo("\u0088" + (char) (REAL.length() + 2) + "\u0003\u00e8" + shown);
        }
    }

    private static byte[] frame(int first, String payload) {
        return WebSocketFrames.frame(first, payload.getBytes(StandardCharsets.UTF_8), false);
    }

    /** What came in the place of the placeholder. */
    private static String got(String head) {
        return Wire.field(head, "Authorization").substring("Bearer ".length());
    }

    static byte[] encode(Codings codings, String latin1) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = codings.encoder()) {
            encoder.write(ByteBuffer.wrap(latin1.getBytes(StandardCharsets.ISO_8859_1)), bytes -> copy(bytes, out));
            encoder.end(bytes -> copy(bytes, out));
        }
        return out.toByteArray();
    }

    static String decode(Codings codings, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = codings.decoder(DecodeLimits.DEFAULT)) {
            decoder.write(ByteBuffer.wrap(body), bytes -> copy(bytes, out));
            decoder.end(bytes -> copy(bytes, out));
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }
}
