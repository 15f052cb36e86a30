package dev.sallyport.core.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.testing.Frames;
import dev.sallyport.spi.BodyRewriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {

    private static final String TEXT = "a message of some length";

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    /** Shows what it sees, and changes nothing. */
    private final class Shown implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            while (in.hasRemaining()) {
                shown.write(in.get());
            }
        }

        @Override
        public void end(Sink out) {}

        @Override
        public boolean changed() {
            return false;
        }
    }

    /** Pieces of a payload end anywhere in the four bytes of the mask. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 9, 13})
    void unmasksFromTheByteWhereThePieceBegins(int size) throws Exception {
        Messages messages = new Messages(
                ByteBufAllocator.DEFAULT,
                true,
                List.of(Shown::new),
                new HeaderBlock(1),
                new BodyBudget(1 << 20),
                1 << 20);
        byte[] frame = Frames.text(TEXT, true);

        for (int at = 0; at < frame.length; at += size) {
            byte[] piece = Arrays.copyOfRange(frame, at, Math.min(frame.length, at + size));
            messages.pass(Unpooled.wrappedBuffer(piece), this::sent);
        }
        messages.close();

        assertThat(shown.toString(StandardCharsets.US_ASCII)).isEqualTo(TEXT);
        assertThat(sent.size()).isEqualTo(frame.length);
    }

    private void sent(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        sent.writeBytes(bytes);
    }
}
