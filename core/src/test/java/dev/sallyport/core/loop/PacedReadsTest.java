package dev.sallyport.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a channel hands to a decoder in one turn, by a clock that the decoder moves. */
class PacedReadsTest {

    private static final int READ = 64 << 10;

    /** A chunk of one byte is six on the wire, and costs some microseconds. */
    private static final int DEAR = 500;

    private static final int CHEAP = 1;

    /** How long what ends at a cut is; 0 for no cuts. */
    private int unit;

    private final ArrayDeque<Runnable> passes = new ArrayDeque<>();
    private long now;
    private int nanosPerByte = DEAR;
    private final Turns turns = new Turns(passes::add, () -> now);
    private final Decoder decoder = new Decoder();
    private final EmbeddedChannel channel =
            new EmbeddedChannel(false, false, new PacedReads(turns, this::cut), decoder);

    PacedReadsTest() throws Exception {
        channel.config().setAutoRead(false);
        channel.register();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    /** Asks for more at each end of a read, as decoders do. */
    private final class Decoder extends ChannelInboundHandlerAdapter {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<Object> events = new ArrayList<>();
        private int most;
        private int inTurn;
        private int completed;
        private boolean asking = true;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
            ByteBuf in = (ByteBuf) message;
            inTurn += in.readableBytes();
            most = Math.max(most, inTurn);
            now += (long) nanosPerByte * in.readableBytes();
            in.readBytes(bytes, in.readableBytes());
            in.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            completed++;
            if (asking) {
                ctx.read();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
        }
    }

    private int cut(ByteBuf in, int most) {
        return unit == 0 ? most : Math.min(unit, most);
    }

    private static byte[] noise() {
        byte[] bytes = new byte[READ];
        new Random(3).nextBytes(bytes);
        return bytes;
    }

    private void pass() {
        decoder.inTurn = 0;
        passes.remove().run();
    }

    @Test
    void whatIsDearIsDecodedInTurns() {
        byte[] sent = noise();
        channel.writeInbound(Unpooled.wrappedBuffer(sent));
        int turnsTaken = 1;
        while (!passes.isEmpty()) {
            pass();
            turnsTaken++;
        }

        assertThat(decoder.bytes.toByteArray()).isEqualTo(sent);
        // As long as a turn lasts, and a piece beyond it.
        assertThat(decoder.most).isLessThanOrEqualTo((int) (2 * Turns.TURN_NANOS / DEAR) + 4096);
        assertThat(turnsTaken).isGreaterThan(10);
    }

    @Test
    void whatIsDearHoweverShortHasTurnsOfItsOwn() {
        unit = 30;
        nanosPerByte = (int) (Turns.TURN_NANOS / unit);
        byte[] sent = Arrays.copyOf(noise(), 100 * unit);
        channel.writeInbound(Unpooled.wrappedBuffer(sent));
        while (!passes.isEmpty()) {
            pass();
        }

        assertThat(decoder.bytes.toByteArray()).isEqualTo(sent);
        assertThat(decoder.most).isLessThanOrEqualTo(2 * unit);
    }

    @Test
    void whatIsCheapIsHandedOnWhole() {
        nanosPerByte = CHEAP;
        for (int i = 0; i < 10; i++) {
            now += Turns.PASS_NANOS;
            channel.writeInbound(Unpooled.wrappedBuffer(noise()));
            while (!passes.isEmpty()) {
                pass();
            }
        }
        assertThat(decoder.bytes.size()).isEqualTo(10 * READ);
    }

    @Test
    void readsAreOffWhileSomethingWaits() {
        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        int soFar = decoder.bytes.size();
        assertThat(soFar).isLessThan(READ);
        assertThat(decoder.completed).isEqualTo(1);

        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        assertThat(decoder.bytes.size()).isEqualTo(soFar);
    }

    @Test
    void whoAsksForNothingGetsNoMore() {
        decoder.asking = false;
        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        int soFar = decoder.bytes.size();
        while (!passes.isEmpty()) {
            pass();
        }
        assertThat(decoder.bytes.size()).isEqualTo(soFar);

        decoder.asking = true;
        channel.read();
        while (!passes.isEmpty()) {
            pass();
        }
        assertThat(decoder.bytes.size()).isEqualTo(READ);
    }

    @Test
    void theEndComesBehindWhatWaits() {
        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(decoder.events).isEmpty();
        while (!passes.isEmpty()) {
            assertThat(decoder.events).isEmpty();
            pass();
        }
        assertThat(decoder.bytes.size()).isEqualTo(READ);
        assertThat(decoder.events).containsExactly(ChannelInputShutdownEvent.INSTANCE);
    }

    @Test
    void aChannelThatClosesLosesNothingThatWasRead() {
        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        channel.close();
        assertThat(decoder.bytes.size()).isEqualTo(READ);
    }

    @Test
    void whatWaitsForItsTurnFromTheBeginningGetsIt() {
        Turn other = turns.join(() -> {});
        other.begin();
        now += 2 * Turns.PASS_NANOS;
        other.end();

        channel.writeInbound(Unpooled.wrappedBuffer(noise()));
        assertThat(decoder.bytes.size()).isZero();
        while (!passes.isEmpty()) {
            pass();
        }
        assertThat(decoder.bytes.size()).isEqualTo(READ);
    }
}
