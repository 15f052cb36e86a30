package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import dev.sallyport.toolkit.coding.Output;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A body of 1 GiB passes in a few hundred kilobytes of memory, and unharmed. */
class LargeBodyTest {

    private static final long SIZE = 1L << 30;
    private static final int CHUNK = 64 << 10;
    private static final long MOST = 4 << 20;

    private long peak;

    private static byte[] chunk() {
        byte[] chunk = new byte[CHUNK];
        Random random = new Random(1);
        for (int i = 0; i < CHUNK; i++) {
            chunk[i] = (byte) (i % 16 == 0 ? 'a' + random.nextInt(26) : ' ');
        }
        return chunk;
    }

    @Test
    void throughARewriter() {
        // given
        byte[] chunk = chunk();
        CRC32 sent = new CRC32();
        BodyFixture fixture = BodyFixture.plain(SIZE);
        Checking sink = new Checking(null);
        fixture.body.rewrite(0, new Copying(), true);
        fixture.body.release(sink);
        // when
        for (long at = 0; at < SIZE; at += CHUNK) {
            sent.update(chunk);
            fixture.send(chunk);
            measure(fixture);
        }
        fixture.finish();
        // then
        assertThat(sink.length).isEqualTo(SIZE);
        assertThat(sink.crc.getValue()).isEqualTo(sent.getValue());
        assertThat(peak).isLessThan(MOST);
        fixture.assertNothingHeld();
    }

    @Tag("long")
    @Test
    void throughARewriterBehindGzip() {
        // given
        byte[] chunk = chunk();
        CRC32 sent = new CRC32();
        BodyFixture fixture = new BodyFixture(BodyLimits.request(1 << 20), -1, "gzip", "");
        Decoder decoder = Codings.parse("gzip").decoder(DecodeLimits.DEFAULT);
        Checking sink = new Checking(decoder);
        fixture.body.rewrite(0, new Copying(), true);
        fixture.body.release(sink);
        // when
        try (Encoder encoder = Codings.parse("gzip").encoder()) {
            Output toBody = bytes -> {
                byte[] coded = new byte[bytes.remaining()];
                bytes.get(coded);
                fixture.send(coded);
                measure(fixture);
            };
            for (long at = 0; at < SIZE; at += CHUNK) {
                sent.update(chunk);
                encoder.write(ByteBuffer.wrap(chunk), toBody);
            }
            encoder.end(toBody);
        }
        fixture.finish();
        decoder.close();
        // then
        assertThat(sink.ended).isTrue();
        assertThat(sink.decoded).isEqualTo(SIZE);
        assertThat(sink.crc.getValue()).isEqualTo(sent.getValue());
        assertThat(peak).isLessThan(MOST);
        fixture.assertNothingHeld();
    }

    private void measure(BodyFixture fixture) {
        long now = fixture.allocator.metric().usedDirectMemory()
                + fixture.allocator.metric().usedHeapMemory();
        peak = Math.max(peak, now);
    }

    /** Copies half of each chunk and forwards the other. */
    private static final class Copying implements BodyRewriter {

        @Override
        public OptionalLong length(OptionalLong in) {
            return in;
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            int half = in.limit() / 2;
            out.write(in.slice(0, half));
            out.forward(half, in.limit() - half);
        }

        @Override
        public void end(Sink out) {}
    }

    /** Sums up what comes, decoded if need be. */
    private static final class Checking implements BodySink {

        private final CRC32 crc = new CRC32();
        private final Decoder decoder;
        private long length;
        private long decoded;
        private boolean ended;

        Checking(Decoder decoder) {
            this.decoder = decoder;
        }

        @Override
        public void begin(long bytes) {
            length = bytes;
        }

        @Override
        public void data(ByteBuf data) {
            ByteBuffer bytes = data.nioBuffer();
            if (decoder == null) {
                add(bytes);
            } else {
                decoder.write(bytes, this::add);
            }
            data.release();
        }

        private void add(ByteBuffer bytes) {
            decoded += bytes.remaining();
            crc.update(bytes);
        }

        @Override
        public void end(HeaderBlock trailers) {
            if (decoder != null) {
                decoder.end(this::add);
            }
            ended = true;
        }

        @Override
        public void failed(BodyFailure failure) {
            throw new AssertionError(failure);
        }

        @Override
        public boolean isWritable() {
            return true;
        }
    }
}
