package dev.sallyport.core.websocket;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edit;
import dev.sallyport.testsupport.WebSocketFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageFilterTest {

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

    private static MessageFilter filter(Direction direction, Supplier<BodyRewriter> rewriters, BodyBudget budget)
            throws MessageException {
        return new MessageFilter(
                ByteBufAllocator.DEFAULT,
                direction,
                List.of(new Edit.RewriteMessages(direction, rewriters, null, false)),
                new HeaderBlock(1),
                budget,
                1 << 20);
    }

    /** Pieces of a payload end anywhere in the four bytes of the mask. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 9, 13})
    void unmasksFromTheByteWhereThePieceBegins(int size) throws Exception {
        MessageFilter messages = filter(Direction.REQUEST, Shown::new, new BodyBudget(1 << 20));
        byte[] frame = WebSocketFrames.text(TEXT, true);

        for (int at = 0; at < frame.length; at += size) {
            byte[] piece = Arrays.copyOfRange(frame, at, Math.min(frame.length, at + size));
            messages.pass(Unpooled.wrappedBuffer(piece), this::sent);
        }
        messages.close();

        assertThat(shown.toString(StandardCharsets.US_ASCII)).isEqualTo(TEXT);
        assertThat(sent.size()).isEqualTo(frame.length);
    }

    /** Each buffer of its own costs everybody behind the filter more than its bytes. */
    @Test
    void shortMessagesLeaveTogetherInOrder() throws Exception {
        int many = 3000;
        MessageFilter messages = fromOrigin();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < many; i++) {
            // Now and then one that is not short.
            all.writeBytes(WebSocketFrames.text(i % 500 == 7 ? "long ".repeat(1000) : "m" + i, false));
        }
        int buffers = 0;
        ByteBuf rest = Unpooled.wrappedBuffer(all.toByteArray());
        while (rest != null) {
            int before = sent.size();
            rest = messages.pass(rest, this::sent);
            assertThat(sent.size() - before)
                    .as("what is made before the receiver is asked")
                    .isLessThan(10_000);
            buffers++;
        }
        messages.close();

        assertThat(sent.toByteArray()).isEqualTo(all.toByteArray());
        assertThat(buffers).isLessThan(many / 50);
    }

    @Test
    void whatCameBeforeAFaultPasses() throws Exception {
        MessageFilter messages = fromOrigin();
        byte[] good = WebSocketFrames.text("good", false);
        ByteBuf bytes = Unpooled.wrappedBuffer(good, WebSocketFrames.text("bad", true));

        assertThatThrownBy(() -> messages.pass(bytes, this::sent)).hasMessageContaining("a masked frame");

        messages.close();
        assertThat(sent.toByteArray()).isEqualTo(good);
        assertThat(bytes.refCnt()).isZero();
    }

    private MessageFilter fromOrigin() throws MessageException {
        return filter(Direction.RESPONSE, Shown::new, new BodyBudget(1 << 20));
    }

    /** The receiver is asked after each message that is not short: many that grow must not all be made at once. */
    @Test
    void makesOneMessageAtATimeAndCountsItUntilItIsTaken() throws Exception {
        BodyBudget budget = new BodyBudget(1 << 20);
        MessageFilter messages = filter(Direction.REQUEST, () -> new Grown(60_000), budget);
        ByteBuf three = Unpooled.wrappedBuffer(
                WebSocketFrames.text("a", true), WebSocketFrames.text("b", true), WebSocketFrames.text("c", true));

        ByteBuf rest = messages.pass(three, this::sent);
        assertThat(sent.size()).isBetween(60_000, 60_020);
        assertThat(budget.used()).isEqualTo(60_000);
        messages.taken();
        assertThat(budget.used()).isZero();
        rest = messages.pass(requireNonNull(rest), this::sent);
        rest = messages.pass(requireNonNull(rest), this::sent);
        assertThat(rest).isNull();
        assertThat(sent.size()).isBetween(180_000, 180_060);
        messages.close();
        assertThat(budget.used()).isZero();
        assertThat(three.refCnt()).isZero();
    }

    @Test
    void whatGrowsBeyondTheBudgetIsNotMade() throws Exception {
        BodyBudget budget = new BodyBudget(100_000);
        MessageFilter messages = filter(Direction.REQUEST, () -> new Grown(10_000), budget);
        ByteBuf message = Unpooled.wrappedBuffer(WebSocketFrames.text("twenty of them make a lot", true));

        assertThatThrownBy(() -> messages.pass(message, this::sent))
                .isInstanceOfSatisfying(
                        MessageException.class,
                        fault -> assertThat(fault.closeCode()).isEqualTo(1013));
        assertThat(sent.size()).isZero();
        messages.close();
        assertThat(budget.used()).isZero();
    }

    private record Grown(int factor) implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            for (; in.hasRemaining(); in.get()) {
                out.write(ByteBuffer.wrap(new byte[factor]));
            }
        }

        @Override
        public void end(Sink out) {}
    }

    private void sent(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        sent.writeBytes(bytes);
    }
}
