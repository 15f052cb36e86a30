package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A response that is searched leaves as it comes, whatever its coding, its length and its media type: docs/spec/decisions.md,
 * section 20. The origin sends nothing before the client has seen all that came until then.
 */
class StreamedTest {

    private final Semaphore seen = new Semaphore(0);

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "application/json, identity",
        "application/json, gzip",
        "application/json, br",
        "application/json, zstd",
        "application/json, deflate",
        "application/vnd.amazon.eventstream, identity",
        "application/vnd.amazon.eventstream, gzip",
        "application/jsonl, identity",
        "application/jsonl, gzip",
        "text/plain, identity",
        "text/plain, gzip",
        "text/event-stream, gzip",
    })
    void nothingWaitsForWhatComesNext(String type, String coding) throws Exception {
        List<String> pieces = List.of("{\"n\":1}\n", "{\"n\":2}\n", "x");
        try (Echo echo = new Echo(folder, REAL, origin -> drip(origin, type, coding, pieces));
                Wire client = echo.client();
                Incoming incoming = new Incoming(client, coding)) {
            client.send(echo.request("GET /stream"));
            incoming.head();
            seen.release();

            for (String piece : pieces) {
                incoming.awaitEnd(piece);
                seen.release();
            }

            assertThat(incoming.rest()).isEqualTo(String.join("", pieces));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip", "br", "zstd", "deflate"})
    void aValueIsFoundWhereverThePauseIsInIt(String coding) throws Exception {
        StringBuilder expected = new StringBuilder();
        List<String> pieces = new ArrayList<>();
        String before = "";
        for (int cut = 1; cut < REAL.length(); cut++) {
            pieces.add(before + "at " + cut + " ; " + REAL.substring(0, cut));
            before = REAL.substring(cut) + "\n";
            expected.append("at ").append(cut).append(" ; PLACEHOLDER\n");
        }
        pieces.add(before);
        try (Echo echo = new Echo(folder, REAL, origin -> drip(origin, "application/json", coding, pieces));
                Wire client = echo.client();
                Incoming incoming = new Incoming(client, coding)) {
            client.send(echo.request("GET /stream"));
            incoming.head();
            seen.release();

            for (int cut = 1; cut < REAL.length(); cut++) {
                incoming.awaitEnd("at " + cut + " ; ");
                seen.release();
            }
            seen.release();

            assertThat(incoming.rest()).isEqualTo(expected.toString());
        }
    }

    /** What stands in the place of a value has its length: nothing is held, and the length stays. */
    @ParameterizedTest
    @ValueSource(strings = {"image/png", "application/octet-stream", "Application/Zip; x=y"})
    void aBinaryBodyKeepsItsLength(String type) throws Exception {
        List<String> pieces = List.of("begins ; ", REAL, " ends");
        try (Echo echo = new Echo(folder, REAL, origin -> drip(origin, type, "identity", pieces));
                Wire client = echo.client();
                Incoming incoming = new Incoming(client, "identity")) {
            client.send(echo.request("GET /download"));
            incoming.head();
            assertThat(incoming.declared)
                    .isEqualTo(Integer.toString(String.join("", pieces).length()));
            seen.release();

            incoming.awaitEnd("begins ; ");
            seen.release(3);

            assertThat(incoming.rest()).matches("begins ; PLACEHOLDER.* ends").doesNotContain("r34l");
        }
    }

    /** Sends the head, and each piece as soon as all before it was seen; one without a coding has a declared length. */
    private void drip(Wire origin, String type, String coding, List<String> pieces) throws Exception {
        origin.readHead();
        boolean plain = coding.equals("identity");
        String framing = plain
                ? "Content-Length: " + String.join("", pieces).length()
                : "Content-Encoding: " + coding + "\r\nTransfer-Encoding: chunked";
        origin.send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + framing + "\r\n\r\n");
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            for (String piece : pieces) {
                awaitSeen();
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                encoder.write(ByteBuffer.wrap(latin1(piece)), bytes -> copy(bytes, out));
                encoder.flush(bytes -> copy(bytes, out));
                if (plain) {
                    origin.send(out.toByteArray());
                } else {
                    origin.chunk(out.toByteArray());
                }
            }
            awaitSeen();
            if (!plain) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                encoder.end(bytes -> copy(bytes, out));
                origin.chunk(out.toByteArray()).send("0\r\n\r\n");
            }
        }
    }

    private void awaitSeen() throws InterruptedException {
        assertThat(seen.tryAcquire(Patience.SECONDS, TimeUnit.SECONDS))
                .as("the client has seen what was sent")
                .isTrue();
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }

    /** What a client makes of a response while it comes. */
    private static final class Incoming implements AutoCloseable {

        private final Wire wire;
        private final Decoder decoder;
        private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
        private String declared = "";
        private int left;

        Incoming(Wire wire, String coding) {
            this.wire = wire;
            this.decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT);
        }

        void head() throws IOException {
            String head = wire.readHead();
            assertThat(head).startsWith("HTTP/1.1 200 ");
            declared = Wire.field(head, "Content-Length");
            if (declared.isEmpty()) {
                assertThat(Wire.field(head, "Transfer-Encoding")).isEqualTo("chunked");
            } else {
                left = Integer.parseInt(declared);
            }
        }

        void awaitEnd(String text) throws IOException {
            while (!text().endsWith(text)) {
                assertThat(more()).as("more than " + text()).isTrue();
            }
        }

        String rest() throws IOException {
            while (more()) {
                // All of it.
            }
            decoder.end(bytes -> copy(bytes, plain));
            return text();
        }

        private boolean more() throws IOException {
            if (declared.isEmpty()) {
                return chunk();
            }
            if (left > 0) {
                left--;
                plain.writeBytes(latin1(wire.read(1)));
                return true;
            }
            return false;
        }

        private boolean chunk() throws IOException {
            int size = Integer.parseInt(wire.readLine(), 16);
            String content = wire.read(size);
            assertThat(wire.readLine()).isEmpty();
            decoder.write(ByteBuffer.wrap(latin1(content)), bytes -> copy(bytes, plain));
            return size > 0;
        }

        private String text() {
            return plain.toString(StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() {
            decoder.close();
        }
    }
}
