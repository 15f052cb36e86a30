package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import dev.sallyport.toolkit.coding.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long bodies that are searched in both directions pass byte for byte, while all bodies together may hold 2 MiB: the
 * sender waits for the receiver.
 */
class LongBodiesTest {

    private static final int PART = 64 << 10;
    private static final int SHORT = 12 << 20;
    private static final int LONG = 200 << 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void passByteForByte(String coding) throws Exception {
        assertBothWays(coding, SHORT);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip", "br", "zstd", "deflate"})
    void passByteForByteHoweverLong(String coding) throws Exception {
        assertBothWays(coding, LONG);
    }

    private void assertBothWays(String coding, int length) throws Exception {
        CRC32 up = new CRC32();
        CRC32 down = new CRC32();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    assertThat(Wire.field(peer.readHead(), "Content-Encoding"))
                            .isEqualTo(coding.equals("identity") ? "" : coding);
                    receive(peer, coding, up);
                    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + fields(coding));
                    send(peer, coding, 2, length);
                });
                EgressProxy proxy = Proxies.start(
                        folder,
                        new ByteArrayOutputStream(),
                        new FakeSecrets().set("TOKEN", "r34l-value-of-a-token"),
                        "limits: {buffered_bytes: 2MiB},",
                        List.of(Proxies.entry("{type: fake, name: TOKEN}", "")));
                Wire client = Wire.to(proxy.httpAddress())) {
            client.send("POST / HTTP/1.1\r\nHost: api.localhost:" + origin.port()
                    + "\r\nAuthorization: Bearer PLACEHOLDER\r\n" + fields(coding));
            send(client, coding, 1, length);
            assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
            receive(client, coding, down);
        }
        assertThat(up.getValue()).as("the request").isEqualTo(checksum(1, length));
        assertThat(down.getValue()).as("the response").isEqualTo(checksum(2, length));
    }

    private static String fields(String coding) {
        return (coding.equals("identity") ? "" : "Content-Encoding: " + coding + "\r\n")
                + "Transfer-Encoding: chunked\r\n\r\n";
    }

    private static void send(Wire to, String coding, int seed, int length) throws IOException {
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Output output = bytes -> copy(bytes, out);
            Random random = new Random(seed);
            for (int done = 0; done < length; done += PART) {
                encoder.write(ByteBuffer.wrap(part(random)), output);
                chunk(to, out);
            }
            encoder.end(output);
            chunk(to, out);
            to.send("0\r\n\r\n");
        }
    }

    private static void chunk(Wire to, ByteArrayOutputStream out) throws IOException {
        if (out.size() > 0) {
            to.chunk(out.toByteArray());
            out.reset();
        }
    }

    private static void receive(Wire from, String coding, CRC32 sum) throws IOException {
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            for (int size = size(from); size > 0; size = size(from)) {
                decoder.write(ByteBuffer.wrap(from.in().readNBytes(size)), sum::update);
                assertThat(from.readLine()).isEmpty();
            }
            assertThat(from.readLine()).isEmpty();
            decoder.end(sum::update);
        }
    }

    private static int size(Wire from) throws IOException {
        return Integer.parseInt(from.readLine(), 16);
    }

    /** Half of it is noise, half of it compresses well. */
    private static byte[] part(Random random) {
        byte[] part = new byte[PART];
        random.nextBytes(part);
        byte[] line = ("a line of text, " + random.nextInt() + "\n").getBytes(StandardCharsets.US_ASCII);
        for (int i = PART / 2; i + line.length <= PART; i += line.length) {
            System.arraycopy(line, 0, part, i, line.length);
        }
        return part;
    }

    private static long checksum(int seed, int length) {
        CRC32 sum = new CRC32();
        Random random = new Random(seed);
        for (int done = 0; done < length; done += PART) {
            sum.update(part(random));
        }
        return sum.getValue();
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }
}
