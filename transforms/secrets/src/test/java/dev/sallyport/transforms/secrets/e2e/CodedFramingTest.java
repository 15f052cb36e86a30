package dev.sallyport.transforms.secrets.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Text in the framing of content codings, which no client shows and every client gets. */
class CodedFramingTest {

    private static final String REAL = "q7Zt2LmWd9kRx4Vb6Hn3YpG8sJcBfK";
    private static final String CONTENT = "nothing to be found here";

    @TempDir
    Path folder;

    static Stream<Arguments> framed() throws Exception {
        byte[] gzip = EchoTest.encode(Codings.parse("gzip"), CONTENT);
        byte[] zstd = EchoTest.encode(Codings.parse("zstd"), CONTENT);
        byte[] inner = gzip(gzip, 8, REAL + "\0");
        return Stream.of(
                Arguments.of("gzip", gzip(gzip, 8, REAL + "\0")),
                Arguments.of("gzip", gzip(gzip, 16, REAL + "\0")),
                Arguments.of("gzip", gzip(gzip, 4, "\36\0" + REAL)),
                Arguments.of("gzip", joined(gzip, gzip(gzip, 8, REAL + "\0"))),
                Arguments.of("gzip, gzip", EchoTest.encode(Codings.parse("gzip"), new String(inner, ISO_8859_1))),
                Arguments.of("zstd", joined(skippable(), zstd)),
                Arguments.of("zstd", joined(zstd, skippable())),
                Arguments.of("br", brotli()),
                Arguments.of("br, gzip", EchoTest.encode(Codings.parse("gzip"), new String(brotli(), ISO_8859_1))),
                Arguments.of("br, br", EchoTest.encode(Codings.parse("br"), new String(brotli(), ISO_8859_1))));
    }

    /** With a field in its header. */
    private static byte[] gzip(byte[] plain, int flag, String field) {
        byte[] head = new byte[10];
        System.arraycopy(plain, 0, head, 0, head.length);
        head[3] |= (byte) flag;
        byte[] rest = new byte[plain.length - head.length];
        System.arraycopy(plain, head.length, rest, 0, rest.length);
        return joined(head, field.getBytes(ISO_8859_1), rest);
    }

    private static byte[] skippable() {
        return ByteBuffer.allocate(8 + REAL.length())
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0x184D2A53)
                .putInt(REAL.length())
                .put(REAL.getBytes(ISO_8859_1))
                .array();
    }

    /** RFC 7932, 9.1 and 9.2: a block of metadata, one without compression, and the end. */
    private static byte[] brotli() {
        int metadata = 3 << 2 | 1 << 5 | (REAL.length() - 1) << 7;
        int plain = (CONTENT.length() - 1) << 3 | 1 << 19;
        return joined(
                new byte[] {(byte) metadata, (byte) (metadata >> 8)},
                REAL.getBytes(ISO_8859_1),
                new byte[] {(byte) plain, (byte) (plain >> 8), (byte) (plain >> 16)},
                CONTENT.getBytes(ISO_8859_1),
                new byte[] {3});
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private byte[] ask(String coding, byte[] body) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    origin.readHead();
                    origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\nContent-Length: " + body.length
                            + "\r\n\r\n");
                    origin.send(body);
                });
                Wire client = echo.client()) {
            Wire.Message answer = client.send(echo.request("GET /x")).response();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.field("Content-Encoding")).isEqualTo(coding);
            return answer.body().getBytes(ISO_8859_1);
        }
    }

    @ParameterizedTest
    @MethodSource("framed")
    void itDoesNotComeBackInTheFraming(String coding, byte[] body) throws Exception {
        assertThat(decoded(coding, body)).startsWith(CONTENT);

        byte[] answer = ask(coding, body);

        assertThat(new String(answer, ISO_8859_1)).doesNotContain(REAL);
        assertThat(decoded(coding, answer)).isEqualTo(decoded(coding, body));
        if (coding.contains(", ")) {
            assertThat(decoded(coding.substring(coding.indexOf(", ") + 2), answer))
                    .doesNotContain(REAL);
        }
    }

    @Test
    void framingWithoutTextIsKept() throws Exception {
        for (String coding : new String[] {"gzip", "deflate", "zstd", "br"}) {
            byte[] body = EchoTest.encode(Codings.parse(coding), CONTENT);

            assertThat(ask(coding, body)).as(coding).isEqualTo(body);
        }
    }

    private static String decoded(String coding, byte[] body) {
        return EchoTest.decode(Codings.parse(coding), body);
    }
}
