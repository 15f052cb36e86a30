package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where bytes of HTTP/2 are cut, however they come. */
class HeadCutsTest {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;

    private final ByteBuf sent = Unpooled.buffer();
    private final List<Integer> ends = new ArrayList<>();

    private void frame(int type, int flags, int length) {
        sent.writeMedium(length).writeByte(type).writeByte(flags).writeInt(1).writeZero(length);
    }

    private void head(int type, int length) {
        frame(type, END_HEADERS, length);
        ends.add(sent.writerIndex());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 9, 24, 100, 100_000})
    void isBehindEachFieldSection(int most) {
        sent.writeZero(HeadCuts.PREFACE);
        frame(4, 0, 0);
        head(HEADERS, 20);
        head(HEADERS, 0);
        frame(DATA, END_HEADERS, 300);
        frame(HEADERS, 0, 40);
        frame(CONTINUATION, 0, 10);
        head(CONTINUATION, 70_000);
        frame(DATA, 0, 5);
        HeadCuts cuts = new HeadCuts(HeadCuts.PREFACE);
        List<Integer> places = new ArrayList<>();

        while (sent.isReadable()) {
            int limit = Math.min(most, sent.readableBytes());
            int next = cuts.next(sent, limit);
            assertThat(next).isBetween(1, limit);
            sent.skipBytes(next);
            places.add(sent.readerIndex());
        }

        assertThat(places).containsAll(ends);
        if (most > sent.writerIndex()) {
            assertThat(places).hasSize(ends.size() + 1);
        }
    }
}
