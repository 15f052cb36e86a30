package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Remembers what came, and complains about a wrong order. */
final class RecordingSink implements BodySink {

    final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    long length = -2;
    boolean writable = true;

    @Nullable HeaderBlock trailers;

    @Nullable BodyFailure failure;

    Runnable onBegin = () -> {};
    Runnable onData = () -> {};

    @Override
    public void begin(long bytes) {
        require(length == -2 && failure == null);
        length = bytes;
        onBegin.run();
    }

    @Override
    public void data(ByteBuf data) {
        byte[] bytes = new byte[data.readableBytes()];
        data.readBytes(bytes);
        data.release();
        require(length >= -1 && trailers == null && failure == null);
        seen.writeBytes(bytes);
        onData.run();
    }

    @Override
    public void end(HeaderBlock fields) {
        require(length >= -1 && trailers == null && failure == null);
        trailers = fields;
    }

    @Override
    public void failed(BodyFailure reason) {
        require(trailers == null && failure == null);
        failure = reason;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    boolean begun() {
        return length >= -1;
    }

    byte[] bytes() {
        return seen.toByteArray();
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("the sink was called in a wrong order");
        }
    }
}
