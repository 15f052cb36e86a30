package dev.sallyport.compare.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpScannerTest {

    private static final String STREAM = """
            HTTP/1.1 200 OK
            Content-Length: 5

            helloHTTP/1.1 204 No Content
            CONTENT-LENGTH: 0

            HTTP/1.1 200 OK
            transfer-encoding: chunked

            3;name=value
            abc
            A
            0123456789
            0
            Trailer: x

            HTTP/1.0 200 OK
            Server: old

            until the end""".replace("\n", "\r\n");

    private static final List<String> MESSAGES =
            List.of("200:hello", "204:", "200:abc0123456789", "200 last:until the end");

    /** Writes down what it is told. */
    private static final class Recording extends HttpScanner {

        private final List<String> messages = new ArrayList<>();
        private final StringBuilder message = new StringBuilder();

        @Override
        protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
            message.setLength(0);
            message.append(status(in, start)).append(closing() ? " last" : "").append(':');
            return true;
        }

        @Override
        protected Unframed unframed() {
            return message.toString().startsWith("204") ? Unframed.NO_BODY : Unframed.UNTIL_CLOSE;
        }

        @Override
        protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
            message.append(text(in, start, start + bytes));
        }

        @Override
        protected void end(ChannelHandlerContext ctx) {
            messages.add(message.toString());
        }
    }

    private static List<String> scan(int piece) {
        Recording recording = new Recording();
        EmbeddedChannel channel = new EmbeddedChannel(recording);
        byte[] bytes = STREAM.getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at < bytes.length; at += piece) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
        }
        channel.finishAndReleaseAll();
        return recording.messages;
    }

    @Test
    void messagesAreTheSameHoweverTheBytesAreCut() {
        for (int piece = 1; piece <= STREAM.length(); piece++) {
            assertThat(scan(piece)).as("in pieces of %d", piece).isEqualTo(MESSAGES);
        }
    }

    @Test
    void everyNameIsThisMachine() {
        byte[] query = query(1);
        byte[] answer = NameServer.answer(query);

        assertThat(answer).startsWith(0x12, 0x34).endsWith(127, 0, 0, 1);
        assertThat(answer[7]).as("answers").isEqualTo((byte) 1);
        assertThat(NameServer.answer(query(28))[7]).as("answers for AAAA").isZero();
        assertThat(NameServer.answer(new byte[] {1, 2, 3})).isEmpty();
    }

    private static byte[] query(int type) {
        return new byte[] {
            0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 4, 't', 'e', 's', 't', 0, 0, (byte) type, 0, 1
        };
    }
}
