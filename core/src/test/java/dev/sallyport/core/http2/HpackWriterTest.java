package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Exception;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A response head of HTTP/2")
class HpackWriterTest {

    private static ByteBuf written(String... fields) {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        ByteBuf out = Unpooled.buffer();
        HpackWriter writer = new HpackWriter();
        try {
            writer.response(200, headers, false, out);
        } finally {
            writer.close();
        }
        return out;
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\0", "a\u0100", "\u010a"})
    @DisplayName("is not written when a line could be read as something else")
    void isNotWritten(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> written("x", text));
        assertThatIllegalArgumentException().isThrownBy(() -> written(text, "x"));
    }

    @Test
    @DisplayName("has names in lower case and nothing that belongs to a connection of HTTP/1.1")
    void hasNothingOfHttp1() throws Http2Exception {
        ByteBuf out = written(
                "X-A",
                "\u00e4",
                "Connection",
                "close",
                "KEEP-ALIVE",
                "5",
                "Upgrade",
                "h2c",
                "Content-Length",
                "7",
                "Transfer-Encoding",
                "chunked",
                "Proxy-Connection",
                "x",
                "Set-Cookie",
                "a=b");

        FieldSection read = new HpackReader(1 << 20).read(1, out, HeadMeter.NONE);

        assertThat(read.malformed()).isEmpty();
        assertThat(read.status()).isEqualTo("200");
        assertThat(read.fields().size()).isEqualTo(2);
        assertThat(read.fields().name(0)).isEqualTo("x-a");
        assertThat(read.fields().value(0)).isEqualTo("\u00e4");
        assertThat(read.fields().name(1)).isEqualTo("set-cookie");
    }
}
