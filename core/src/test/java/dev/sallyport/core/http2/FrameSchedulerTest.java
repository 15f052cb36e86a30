package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The scheduler of a connection's frames")
class FrameSchedulerTest {

    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final PeerSettings peer = new PeerSettings(PeerSettings.Peer.CLIENT);
    private final FrameScheduler scheduler =
            new FrameScheduler(channel.pipeline().firstContext(), peer);

    /** A stream that counts what it is told. */
    private final class Stream implements SendingStream {

        private final int id;
        private final StreamSendQueue sendQueue = new StreamSendQueue();
        private int drained;
        private int written;
        private int unsendable;

        Stream(int id) {
            this.id = id;
            sendQueue.window(peer.initialWindow());
        }

        void send(int bytes) {
            sendQueue.add(Unpooled.wrappedBuffer(new byte[bytes]));
            scheduler.ready(this);
        }

        void end(HeaderBlock trailers) {
            sendQueue.end(trailers);
            scheduler.ready(this);
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public StreamSendQueue sendQueue() {
            return sendQueue;
        }

        @Override
        public ChannelPromise promise(boolean last) {
            return channel.voidPromise();
        }

        @Override
        public void drained() {
            drained++;
        }

        @Override
        public void written() {
            written++;
        }

        @Override
        public void unsendable(IllegalArgumentException reason) {
            unsendable++;
        }
    }

    @AfterEach
    void close() {
        scheduler.close();
        channel.finishAndReleaseAll();
    }

    /** What has been flushed, a frame each: 'type stream length', with '!' when it ends the stream. */
    private List<String> sent() {
        channel.runPendingTasks();
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        List<String> frames = new ArrayList<>();
        while (all.isReadable()) {
            int length = all.readUnsignedMedium();
            int type = all.readUnsignedByte();
            boolean end = (type == FrameReader.DATA || type == FrameReader.HEADERS)
                    && (all.readUnsignedByte() & FrameReader.END_STREAM) != 0;
            if (type != FrameReader.DATA && type != FrameReader.HEADERS) {
                all.skipBytes(1);
            }
            int stream = all.readInt();
            all.skipBytes(length);
            frames.add((type == FrameReader.DATA ? "data " : "type " + type + " ")
                    + stream
                    + (type == FrameReader.DATA ? " " + length : "")
                    + (end ? "!" : ""));
        }
        all.release();
        return frames;
    }

    /** What is sent when no more credit has come for a while. */
    private List<String> sentWithPatience() {
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        return sent();
    }

    @Test
    @DisplayName("waits with a little credit for more")
    void waitsForCreditThatIsWorthAFrame() {
        Stream stream = new Stream(1);
        stream.send(70_000);
        sent();
        scheduler.grow(100_000);
        stream.sendQueue().grow(1000);
        scheduler.ready(stream);
        assertThat(sent()).isEmpty();

        stream.sendQueue().grow(1000);
        scheduler.ready(stream);

        assertThat(sent()).containsExactly("data 1 2000");
        assertThat(sentWithPatience()).isEmpty();
        stream.sendQueue().discard();
    }

    @Test
    @DisplayName("sends what fits, however little credit there is")
    void sendsWhatFits() {
        Stream stream = new Stream(1);
        stream.sendQueue().window(20);
        stream.send(20);

        assertThat(sent()).containsExactly("data 1 20");
        assertThat(scheduler.takeEcho()).isTrue();
        assertThat(scheduler.takeEcho()).isTrue();
        assertThat(scheduler.takeEcho()).isFalse();
    }

    @Test
    @DisplayName("serves streams in turn, a frame each")
    void servesStreamsInTurn() {
        new Stream(5).send(65_535); // all that the connection takes
        sent();
        Stream first = new Stream(1);
        Stream second = new Stream(3);
        first.send(20_000);
        first.end(NO_TRAILERS);
        second.send(10);
        second.end(NO_TRAILERS);
        assertThat(sent()).isEmpty();

        scheduler.grow(50_000);

        assertThat(sent()).containsExactly("data 1 16384", "data 3 10!", "data 1 3616!");
        assertThat(first.drained).isOne();
        assertThat(first.written).isOne();
    }

    @Test
    @DisplayName("keeps to the window of a stream and to that of the connection")
    void keepsToWindows() throws Exception {
        scheduler.setting(FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE, 10);
        Stream small = new Stream(1);
        small.send(15);
        assertThat(sent()).containsExactly("data 1 10");

        small.sendQueue().grow(1);
        scheduler.ready(small);
        assertThat(sent()).isEmpty();
        assertThat(sentWithPatience()).containsExactly("data 1 1");

        scheduler.setting(FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20);
        Stream large = new Stream(3);
        for (int i = 0; i < 4; i++) {
            large.send(20_000);
        }
        sent();
        assertThat(scheduler.window()).isZero();
        assertThat(large.sendQueue().size()).isEqualTo(80_000 - (65_535 - 11));

        assertThat(scheduler.grow(7)).isTrue();
        assertThat(sent()).isEmpty();
        assertThat(sentWithPatience()).containsExactly("data 3 7");
        assertThat(scheduler.grow(Integer.MAX_VALUE)).isTrue();
        assertThat(scheduler.grow(Integer.MAX_VALUE)).isFalse();
        large.sendQueue().discard();
        small.sendQueue().discard();
    }

    @Test
    @DisplayName("ends a stream once, whatever credit comes afterwards")
    void endsAStreamOnce() {
        Stream stream = new Stream(1);
        stream.send(5);
        stream.end(NO_TRAILERS);
        assertThat(sent()).containsExactly("data 1 5!");

        stream.sendQueue().grow(100);
        scheduler.ready(stream);
        scheduler.grow(100);

        assertThat(sent()).isEmpty();
        assertThat(stream.written).isOne();
    }

    @Test
    @DisplayName("sends trailers after the data, and ends the stream with them")
    void sendsTrailersLast() {
        Stream stream = new Stream(1);
        stream.send(5);
        stream.end(new HeaderBlock(1).append("x", "y"));

        assertThat(sent()).containsExactly("data 1 5", "type 1 1!");
        assertThat(stream.written).isOne();
    }

    @Test
    @DisplayName("tells a stream whose trailers cannot be sent, and sends nothing in their place")
    void reportsUnsendableTrailers() {
        Stream stream = new Stream(1);
        stream.end(new HeaderBlock(1).append("x", "a\r\nb: c"));

        assertThat(sent()).isEmpty();
        assertThat(stream.unsendable).isOne();
        assertThat(stream.written).isZero();
    }

    @Test
    @DisplayName("acknowledges no more than a peer reads")
    void limitsAcknowledgements() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        boolean accepted = true;
        int answers = 0;
        while (accepted && answers < 10_000) {
            accepted = scheduler.acknowledge(FrameWriter.settingsAck(channel.alloc()));
            answers++;
        }

        assertThat(answers).isEqualTo(1001);
    }
}
