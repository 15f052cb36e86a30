package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code Content-Encoding} with tokens that are no codings (docs/spec/decisions.md, section 20, {@code coding_token}): the
 * content is searched as every client reads it.
 */
class CodingTokensTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UTF-8",
                "utf8",
                "iso-8859-1",
                "none",
                "Binary",
                "7bit",
                "8bit",
                "aws-chunked",
                "",
                " ",
                ",",
                "none, utf-8"
            })
    void aloneLeaveTheContentAsItIs(String tokens) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + tokens + "\r\nContent-Length: " + REAL.length()
                    + "\r\n\r\n" + REAL);
        })) {
            String answer = echo.ask("GET /x");

            assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + PLACEHOLDER);
            assertThat(answer).doesNotContainIgnoringCase("Content-Encoding");
            assertThat(Leaks.of(answer, REAL)).isEmpty();
            echo.close();
            assertThat(echo.audited()).contains("\"tolerated\":[\"coding_token\"]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip, utf-8", "UTF-8,gzip", "aws-chunked, gzip", "gzip,"})
    void besideACodingLeaveThatOne(String tokens) throws Exception {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(REAL.getBytes(UTF_8));
        }
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + tokens + "\r\nContent-Length: " + coded.size()
                    + "\r\n\r\n" + coded.toString(ISO_8859_1));
        })) {
            String answer = echo.ask("GET /x", "Accept-Encoding: gzip");

            int body = answer.indexOf("\r\n\r\n") + 4;
            assertThat(answer.substring(0, body))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nContent-Encoding: gzip\r\n");
            byte[] received = answer.substring(body).getBytes(ISO_8859_1);
            assertThat(new GZIPInputStream(new ByteArrayInputStream(received)).readAllBytes())
                    .asString(UTF_8)
                    .isEqualTo(PLACEHOLDER);
            echo.close();
            assertThat(echo.audited()).contains("\"tolerated\":[\"coding_token\"]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "identity"})
    void whatIsACodingIsNotNoted(String coding) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\nContent-Length: 0\r\n\r\n");
        })) {
            assertThat(echo.ask("GET /x")).contains("\r\nContent-Encoding: " + coding + "\r\n");
            echo.close();
            assertThat(echo.audited()).doesNotContain("tolerated");
        }
    }
}
