package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Coded bodies that browsers read although something is wrong with them (docs/spec/decisions.md, section 20): they are searched
 * as far as they can be read, and what the client gets is coded well.
 */
class BadCodingsTest {

    @TempDir
    Path folder;

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(text.getBytes(UTF_8));
        }
        return coded.toByteArray();
    }

    /** What the client reads, of an answer that must be well-formed; its record must name what was tolerated. */
    private String read(byte[] body, String tolerated) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + body.length + "\r\n\r\n");
            origin.send(new String(body, ISO_8859_1));
        })) {
            String text;
            try (var client = echo.client()) {
                client.send(echo.request("GET /x", "Accept-Encoding: gzip"));
                var answer = client.response();
                assertThat(answer.status()).isEqualTo(200);
                byte[] received = answer.body().getBytes(ISO_8859_1);
                text = new String(new GZIPInputStream(new ByteArrayInputStream(received)).readAllBytes(), UTF_8);
                assertThat(Leaks.of(answer.body(), REAL)).isEmpty();
            }
            assertThat(Leaks.of(text, REAL)).isEmpty();
            echo.close();
            assertThat(echo.audited()).contains("\"tolerated\":[\"" + tolerated + "\"]");
            return text;
        }
    }

    @ParameterizedTest
    @CsvSource({"'', '\0\0\0\0'", "'', '\r\n'", "REAL, '\0'", "REAL, '\r\n'", "'', REAL", "REAL, REAL"})
    void bytesBehindTheCodedDataAreDropped(String inside, String behind) throws Exception {
        byte[] coded = gzip("text " + inside.replace("REAL", REAL));
        byte[] rest = behind.replace("REAL", REAL).getBytes(UTF_8);
        byte[] body = Arrays.copyOf(coded, coded.length + rest.length);
        System.arraycopy(rest, 0, body, coded.length, rest.length);

        assertThat(read(body, "coding_rest")).isEqualTo("text " + inside.replace("REAL", PLACEHOLDER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", REAL})
    void dataThatBreaksOffIsDeliveredAsFarAsItGoes(String text) throws Exception {
        byte[] coded = gzip(text);

        assertThat(read(Arrays.copyOf(coded, coded.length - 8), "coding_cut"))
                .isEqualTo(text.replace(REAL, PLACEHOLDER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", REAL, "\u001f" + REAL})
    void whatIsOnlyCalledGzipIsSearchedAsItIs(String text) throws Exception {
        assertThat(read(text.getBytes(UTF_8), "coding_plain")).isEqualTo(text.replace(REAL, PLACEHOLDER));
    }
}
