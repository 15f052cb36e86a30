package dev.sallyport.core.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A body of chunks")
class ChunkWriterTest {

    private static final ByteBufAllocator HEAP = UnpooledByteBufAllocator.DEFAULT;

    private final ChunkWriter chunks = new ChunkWriter();

    private static HeaderBlock block(String... fields) {
        HeaderBlock block = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            block.append(fields[i], fields[i + 1]);
        }
        return block;
    }

    private static String text(ByteBuf out) {
        if (out == null) {
            return "";
        }
        String text = out.toString(StandardCharsets.ISO_8859_1);
        out.release();
        return text;
    }

    /** Each step: c for a chunk of one byte, s for sending what has been written, e for the end of the body. */
    @ParameterizedTest
    @CsvSource({
        "e, [0--]",
        "ce, [1-]x[-0--]",
        "cce, [1-]x[-1-]x[-0--]",
        "s, ''",
        "cs, [1-]x[-]",
        "css, [1-]x[-]",
        "cse, [1-]x[-][0--]",
        "cscse, [1-]x[-][1-]x[-][0--]",
        "ccse, [1-]x[-1-]x[-][0--]",
        "cees, [1-]x[-0--][0--]",
        "cece, [1-]x[-0--][1-]x[-0--]",
    })
    @DisplayName("is whole whenever it is sent, in as few buffers as can be")
    void isWholeWhenSent(String steps, String buffers) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < steps.length(); i++) {
            switch (steps.charAt(i)) {
                case 'c' -> out.append('[').append(text(chunks.begin(HEAP, 1))).append("]x");
                case 'e' ->
                    out.append('[').append(text(chunks.end(HEAP, block()))).append(']');
                default -> {
                    String end = text(chunks.complete());
                    out.append(end.isEmpty() ? "" : "[" + end + "]");
                }
            }
        }

        assertThat(out.toString().replace("\r\n", "-")).isEqualTo(buffers);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "9, 9",
        "10, a",
        "15, f",
        "16, 10",
        "255, ff",
        "256, 100",
        "65536, 10000",
        "2147483647, 7fffffff"
    })
    @DisplayName("says how long each chunk is")
    void saysLengths(int length, String digits) {
        assertThat(text(chunks.begin(HEAP, length))).isEqualTo(digits + "\r\n");
    }

    @Test
    @DisplayName("ends in its trailers, without those that frame, route or are about the connection")
    void endsInTrailers() {
        HeaderBlock trailers = block(
                "X-Sum",
                "1",
                "Host",
                "a",
                "CONTENT-LENGTH",
                "5",
                "transfer-encoding",
                "chunked",
                "Trailer",
                "x",
                "TE",
                "trailers",
                "Connection",
                "close",
                "Keep-Alive",
                "5",
                "Proxy-Connection",
                "x",
                "Upgrade",
                "h2c",
                "Proxy-Authenticate",
                "Basic",
                "Proxy-Authorization",
                "Basic eA==",
                "x-sum",
                "\u00e4");

        assertThat(text(chunks.end(HEAP, trailers))).isEqualTo("0\r\nX-Sum: 1\r\nx-sum: \u00e4\r\n\r\n");
        chunks.begin(HEAP, 5).release();
        assertThat(text(chunks.end(HEAP, trailers))).isEqualTo("\r\n0\r\nX-Sum: 1\r\nx-sum: \u00e4\r\n\r\n");
        assertThat(chunks.complete()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\0", "a\u0100", "\u010a"})
    @DisplayName("does not end in trailers that could be read as something else, and its last chunk is still whole")
    void refusesTrailers(String text) {
        chunks.begin(HEAP, 1).release();

        assertThatExceptionOfType(UnsendableMessageException.class)
                .isThrownBy(() -> chunks.end(HEAP, block("X", text)));
        assertThatExceptionOfType(UnsendableMessageException.class)
                .isThrownBy(() -> chunks.end(HEAP, block(text, "x")));
        assertThat(text(chunks.complete())).isEqualTo("\r\n");
    }
}
