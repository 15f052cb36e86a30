package dev.sallyport.core.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http1.ResponseHeadWriter.Persistence;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A response head of HTTP/1.1")
class ResponseHeadWriterTest {

    private static String written(String reason, String... fields) {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        ByteBuf out = ResponseHeadWriter.head(
                UnpooledByteBufAllocator.DEFAULT,
                new ResponseMessage(200, reason, headers, 0),
                false,
                3,
                false,
                Persistence.CLOSE);
        String text = out.toString(StandardCharsets.ISO_8859_1);
        out.release();
        return text;
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\0", "a\u0100", "\u010a"})
    @DisplayName("is not written when a line could be read as something else")
    void isNotWritten(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> written("OK", "X", text));
        assertThatIllegalArgumentException().isThrownBy(() -> written("OK", text, "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> written(text));
    }

    @Test
    @DisplayName("keeps what it has, except for framing, which it writes itself")
    void writesFramingItself() {
        assertThat(written(
                        "OK",
                        "content-length",
                        "7",
                        "X-A",
                        "\u00e4\t\u0001",
                        "CONNECTION",
                        "keep-alive",
                        "Keep-Alive",
                        "5",
                        "Proxy-Connection",
                        "x",
                        "Upgrade",
                        "h2c",
                        "Transfer-Encoding",
                        "chunked",
                        "x-b",
                        ""))
                .isEqualTo(Wire.head(
                        "HTTP/1.1 200 OK", "X-A: \u00e4\t\u0001", "x-b: ", "Content-Length: 3", "Connection: close"));
    }
}
