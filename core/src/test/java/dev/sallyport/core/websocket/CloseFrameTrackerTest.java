package dev.sallyport.core.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Nothing is changed or held, and the close frame is seen exactly when its last byte has gone through. */
class CloseFrameTrackerTest {

    private static final int TEXT = 0x81;
    private static final int CLOSE = 0x88;

    /** For payloads and keys that look like close frames. */
    private static final byte CLOSE_LIKE = (byte) CLOSE;

    private final CloseFrameTracker tracker = new CloseFrameTracker();

    private static byte[] frame(int first, int length, boolean masked) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        int mask = masked ? 0x80 : 0;
        if (length < 126) {
            out.write(length | mask);
        } else {
            out.write(126 | mask);
            out.write(length >> 8);
            out.write(length);
        }
        if (masked) {
            out.writeBytes(new byte[] {CLOSE_LIKE, 0, CLOSE_LIKE, 0});
        }
        for (int i = 0; i < length; i++) {
            out.write(i % 2 == 0 ? CLOSE : 0);
        }
        return out.toByteArray();
    }

    private void pass(byte[] bytes, int from, int length) {
        ByteBuf in = Unpooled.copiedBuffer(bytes, from, length);
        List<ByteBuf> out = new ArrayList<>();
        assertThat(tracker.pass(in, out::add)).isNull();
        assertThat(out).singleElement().isSameAs(in);
        assertThat(in.refCnt()).isOne();
        assertThat(in.readableBytes()).isEqualTo(length);
        in.release();
    }

    private void pass(byte[] bytes) {
        pass(bytes, 0, bytes.length);
    }

    @Test
    void aCloseFrameIsSeenWithItsLastByteWhereverItIsCut() {
        for (boolean masked : List.of(true, false)) {
            for (int length : List.of(0, 1, 2, 125)) {
                byte[] text = frame(TEXT, 300, masked);
                byte[] close = frame(CLOSE, length, masked);
                byte[] both = new byte[text.length + close.length];
                System.arraycopy(text, 0, both, 0, text.length);
                System.arraycopy(close, 0, both, text.length, close.length);
                for (int cut = 0; cut < both.length; cut++) {
                    CloseFrameTracker each = new CloseFrameTracker();
                    each.pass(Unpooled.copiedBuffer(both, 0, cut), ByteBuf::release);
                    assertThat(each.sawClose()).as("cut at %d", cut).isFalse();
                    assertThat(each.betweenFrames()).isEqualTo(cut == 0 || cut == text.length);
                    each.pass(Unpooled.copiedBuffer(both, cut, both.length - cut), ByteBuf::release);
                    assertThat(each.sawClose()).as("cut at %d", cut).isTrue();
                    assertThat(each.betweenFrames()).isTrue();
                }
            }
        }
    }

    @Test
    void otherFramesAreNoCloseFramesWhateverTheyHold() {
        for (int opcode = 0; opcode < 16; opcode++) {
            if (opcode != FrameHeaderReader.CLOSE) {
                pass(frame(0x80 | opcode, 0, true));
                pass(frame(0x80 | opcode, 126, true));
                pass(frame(opcode, 125, false));
                assertThat(tracker.sawClose()).isFalse();
                assertThat(tracker.betweenFrames()).isTrue();
            }
        }
    }

    @Test
    void whatFollowsACloseFrameDoesNotUndoIt() {
        pass(frame(CLOSE, 2, true));
        pass(frame(TEXT, 2, true), 0, 3);

        assertThat(tracker.sawClose()).isTrue();
        assertThat(tracker.betweenFrames()).isFalse();
    }

    @Test
    void aLengthThatIsNegativeNeverEnds() {
        pass(new byte[] {(byte) CLOSE, 127, -1, -1, -1, -1, -1, -1, -1, -1});
        pass(new byte[70_000]);
        pass(frame(CLOSE, 0, false));

        assertThat(tracker.sawClose()).isFalse();
        assertThat(tracker.betweenFrames()).isFalse();
    }

    @Test
    void bytesThatAreNoFramesGoThroughAsTheyAre() {
        Random random = new Random(21);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[random.nextInt(50)];
            random.nextBytes(noise);
            pass(noise);
        }
    }

    @Test
    void onlyWhatIsReadableCounts() {
        ByteBuf in = Unpooled.copiedBuffer(new byte[] {(byte) CLOSE, 0, (byte) TEXT, 0, (byte) CLOSE, 0});
        in.readerIndex(2).writerIndex(4);

        tracker.pass(in, ByteBuf::release);

        assertThat(tracker.sawClose()).isFalse();
        assertThat(tracker.betweenFrames()).isTrue();
    }
}
