package dev.sallyport.core.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A request head of HTTP/1.1")
class RequestHeadWriterTest {

    private static String written(String method, String path, String query, boolean chunked, String... fields) {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        ByteBuf out = RequestHeadWriter.head(
                UnpooledByteBufAllocator.DEFAULT, new RequestMessage(method, path, query, headers, 0), chunked);
        String text = out.toString(StandardCharsets.ISO_8859_1);
        out.release();
        return text;
    }

    @Test
    @DisplayName("keeps what it has, also what asks for an upgrade, and adds its framing")
    void keepsFields() {
        assertThat(written(
                        "PUT",
                        "/p\u00e4th",
                        null,
                        true,
                        "x-b",
                        "",
                        "Host",
                        "a.test",
                        "X-A",
                        "\u00e4\t\u0001",
                        "connection",
                        "Upgrade",
                        "Upgrade",
                        "websocket"))
                .isEqualTo(Wire.head(
                        "PUT /p\u00e4th HTTP/1.1",
                        "x-b: ",
                        "Host: a.test",
                        "X-A: \u00e4\t\u0001",
                        "connection: Upgrade",
                        "Upgrade: websocket",
                        "Transfer-Encoding: chunked"));
    }

    @ParameterizedTest
    @CsvSource({"/, , /", "/a, '', /a?", "/a, b=c?d, /a?b=c?d", "*, , *"})
    @DisplayName("has the target as it was")
    void target(String path, String query, String target) {
        assertThat(written("GET", path, query, false)).isEqualTo(Wire.head("GET " + target + " HTTP/1.1"));
    }

    @ParameterizedTest
    @CsvSource({"close, true", "'close, te', false", "upgrade, true", ", true"})
    @DisplayName("names TE among what is about the connection, once")
    void namesTe(String connection, boolean added) {
        String[] fields = connection == null
                ? new String[] {"TE", "trailers"}
                : new String[] {"TE", "trailers", "Connection", connection};
        assertThat(written("GET", "/", null, false, fields).contains("\r\nConnection: TE\r\n"))
                .isEqualTo(added);
        assertThat(written("GET", "/", null, false)).doesNotContain("Connection");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\0", "a\u0100", "\u010a"})
    @DisplayName("is not written when a line could be read as something else")
    void isNotWritten(String text) {
        assertThatExceptionOfType(UnsendableMessageException.class)
                .isThrownBy(() -> written("GET", "/", null, false, "X", text));
        assertThatExceptionOfType(UnsendableMessageException.class)
                .isThrownBy(() -> written("GET", "/", null, false, text, "x"));
        assertThatExceptionOfType(UnsendableMessageException.class).isThrownBy(() -> written(text, "/", null, false));
        assertThatExceptionOfType(UnsendableMessageException.class)
                .isThrownBy(() -> written("GET", "/" + text, null, false));
        assertThatExceptionOfType(UnsendableMessageException.class).isThrownBy(() -> written("GET", "/", text, false));
    }

    @Test
    @DisplayName("that is large leaves whole, and the next is not mixed with it")
    void large() {
        String value = "v".repeat(200_000);

        assertThat(written("GET", "/", null, false, "X", value)).isEqualTo(Wire.head("GET / HTTP/1.1", "X: " + value));
        assertThat(written("GET", "/", null, false, "Y", "z")).isEqualTo(Wire.head("GET / HTTP/1.1", "Y: z"));
    }
}
