package dev.sallyport.transforms.bodycapture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testkit.WholeProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes over the wire between a client and an origin while a whole proxy between them captures it. */
class BodyCaptureProxyTest {

    private static final int PATIENCE_MILLIS = Patience.MILLIS;
    private static final int LARGE = 10 << 20;
    private static final int CAP = 16_384;

    @TempDir
    Path folder;

    private ServerSocket origin;
    private WholeProxy proxy;
    private Wire client;

    @BeforeEach
    void start() throws Exception {
        origin = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        origin.setSoTimeout(PATIENCE_MILLIS);
        proxy = WholeProxy.start(folder, "[{name: body_capture, config: {}}]", null, new BodyCaptureFactory());
        client = new Wire(proxy.connect());
    }

    @AfterEach
    void end() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    private Wire accepted() throws IOException {
        return new Wire(origin.accept());
    }

    private String head(String... lines) {
        return "POST /p HTTP/1.1\r\nHost: localhost:" + origin.getLocalPort() + "\r\n" + String.join("\r\n", lines)
                + "\r\n\r\n";
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The one record; everything has ended when this returns. */
    private JsonNode record() throws IOException {
        client.close();
        return new ObjectMapper().readTree(proxy.audited());
    }

    /** As a bidirectional stream: the sender waits for an answer to each piece before it sends the next. */
    @Test
    void nothingIsHeldBack() throws Exception {
        client.send(head("Content-Type: application/octet-stream", "Transfer-Encoding: chunked"));
        try (Wire connection = accepted()) {
            connection.readThrough("\r\n\r\n");
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.readThrough("\r\n\r\n");
            for (String piece : List.of("one", "two", "three")) {
                client.chunk(piece.getBytes(StandardCharsets.US_ASCII));
                connection.readThrough(piece);
                connection.chunk(("ack " + piece).getBytes(StandardCharsets.US_ASCII));
                client.readThrough("ack " + piece);
            }
            client.send("0\r\n\r\n");
            connection.readThrough("0\r\n\r\n");
            connection.send("0\r\n\r\n");
            client.readThrough("0\r\n\r\n");
        }
        assertThat(record().get("body_capture").toString()).isEqualTo("{\"request_body\":\"onetwothree\"}");
    }

    @Test
    void codedBodyIsNotHeldBackEither() throws Exception {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        GZIPOutputStream coder = new GZIPOutputStream(coded, true);
        client.send(head("Content-Encoding: gzip", "Transfer-Encoding: chunked"));
        try (Wire connection = accepted()) {
            connection.readThrough("\r\n\r\n");
            for (String piece : List.of("one", "two")) {
                coder.write(piece.getBytes(StandardCharsets.US_ASCII));
                coder.flush();
                client.chunk(coded.toByteArray());
                connection.readThrough(latin1(coded.toByteArray()));
                coded.reset();
            }
            coder.close();
            client.chunk(coded.toByteArray());
            client.send("0\r\n\r\n");
            connection.readThrough("0\r\n\r\n");
            connection.send("HTTP/1.1 204 No Content\r\n\r\n");
            client.readThrough("\r\n\r\n");
        }
        assertThat(record().get("body_capture").toString()).isEqualTo("{\"request_body\":\"onetwo\"}");
    }

    @Test
    void largeBodyFlowsWholeAndTheRecordStaysSmall() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        byte[] body = new byte[LARGE];
        Random random = new Random(seed);
        for (int i = 0; i < LARGE; i++) {
            body[i] = (byte) ('a' + random.nextInt(26));
        }
        CRC32 sent = new CRC32();
        sent.update(body);
        CompletableFuture<Long> arrived = CompletableFuture.supplyAsync(() -> {
            try (Wire connection = accepted()) {
                connection.readThrough("\r\n\r\n");
                CRC32 sum = new CRC32();
                sum.update(connection.in().readNBytes(LARGE));
                connection.send("HTTP/1.1 204 No Content\r\n\r\n");
                return sum.getValue();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        client.send(head("Content-Length: " + LARGE));
        client.send(body);
        client.readThrough("\r\n\r\n");

        assertThat(arrived.get()).as("seed %d", seed).isEqualTo(sent.getValue());
        JsonNode record = record();
        JsonNode capture = record.get("body_capture");
        assertThat(capture.get("request_body").asText())
                .as("seed %d", seed)
                .isEqualTo(latin1(body).substring(0, CAP));
        assertThat(capture.get("request_body_truncated").asBoolean()).isTrue();
        assertThat(record.get("audit").get("request_bytes").asInt()).isEqualTo(LARGE);
    }

    @Test
    void bodyThatIsBrokenOffIsRecordedAsFarAsItCame() throws Exception {
        client.send(head("Content-Length: 100"));
        client.send("the beginning");
        try (Wire connection = accepted()) {
            connection.readThrough("the beginning");
            client.reset();
            assertThat(connection.in().read()).isEqualTo(-1);
        }
        JsonNode record = record();
        assertThat(record.get("audit").get("action").asText()).isEqualTo("client_cancel");
        assertThat(record.get("body_capture").toString())
                .isEqualTo("{\"request_body\":\"the beginning\",\"request_body_truncated\":true}");
        assertThat(record.get("request_transforms").findValuesAsText("body_capture_error"))
                .containsExactly("the body was aborted");
    }

    @Test
    void originMayTurnDownABodyThatWasAnnounced() throws Exception {
        client.send(head("Expect: 100-continue", "Content-Length: 4"));
        try (Wire connection = accepted()) {
            assertThat(connection.readThrough("\r\n\r\n")).contains("Expect: 100-continue");
            connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 401");
        }
        assertThat(record().has("body_capture")).isFalse();
    }
}
