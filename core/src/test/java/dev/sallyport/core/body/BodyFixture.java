package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A body with everything around it that can be counted. */
final class BodyFixture {

    /** Counts what is not freed; Netty's own detector, which sees less and costs more, is off for it. */
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    final BodyBudget budget;
    final MessageBody body;
    final List<String> notes = new ArrayList<>();
    final RecordingSink sink = new RecordingSink();
    long credited;
    long given;

    BodyFixture(BodyLimits limits, long declared, @Nullable String coding, String type) {
        this(new BodyBudget(Long.MAX_VALUE), limits, declared, coding, type);
    }

    BodyFixture(BodyBudget budget, BodyLimits limits, long declared, @Nullable String coding, String type) {
        this.budget = budget;
        HeaderBlock head = new HeaderBlock();
        if (coding != null) {
            head.append("Content-Encoding", coding);
        }
        if (!type.isEmpty()) {
            head.append("Content-Type", type);
        }
        body = new MessageBody(
                allocator,
                budget,
                limits,
                head,
                declared,
                bytes -> credited += bytes,
                (position, why) -> notes.add(position + ": " + why));
    }

    static BodyFixture plain(long declared) {
        return new BodyFixture(BodyLimits.request(1 << 20), declared, null, "");
    }

    static BodyFixture coded(String coding) {
        return new BodyFixture(BodyLimits.request(1 << 20), -1, coding, "");
    }

    static BodyFixture limited(long cap, long declared, @Nullable String coding) {
        return new BodyFixture(BodyLimits.request(cap), declared, coding, "");
    }

    /** What came out, as text. */
    String out() {
        return TestRewriters.text(sink.bytes());
    }

    void send(byte[] bytes) {
        send(bytes, 0, bytes.length);
    }

    void send(byte[] bytes, int offset, int length) {
        ByteBuf buffer = allocator.directBuffer(Math.max(1, length));
        buffer.writeBytes(bytes, offset, length);
        given += length;
        body.data(buffer);
    }

    void send(String text) {
        send(TestRewriters.latin1(text));
    }

    void finish() {
        body.end(new HeaderBlock());
    }

    RecordingRead read(int position, Buffered access) {
        RecordingRead read = new RecordingRead();
        body.read(position, access, read);
        return read;
    }

    /** Nothing is left behind once the body is over. */
    void assertNothingHeld() {
        assertThat(budget.used()).as("budget").isZero();
        assertThat(credited).as("credit").isEqualTo(given);
        assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
    }

    /** Coded with a flush in the middle, as the engine would not do it: what was coded anew can be told. */
    static byte[] encode(@Nullable String coding, byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            int half = plain.length / 2;
            encoder.write(ByteBuffer.wrap(plain, 0, half), bytes -> copy(bytes, out));
            encoder.flush(bytes -> copy(bytes, out));
            encoder.write(ByteBuffer.wrap(plain, half, plain.length - half), bytes -> copy(bytes, out));
            encoder.end(bytes -> copy(bytes, out));
        }
        return out.toByteArray();
    }

    static byte[] decode(@Nullable String coding, byte[] coded) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            decoder.write(ByteBuffer.wrap(coded), bytes -> copy(bytes, out));
            decoder.end(bytes -> copy(bytes, out));
        }
        return out.toByteArray();
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }
}
