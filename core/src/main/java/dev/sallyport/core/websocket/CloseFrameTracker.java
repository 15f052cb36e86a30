package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes everything unchanged and only steps from frame header to frame header, to know whether the sender has sent its
 * close frame. Bytes that are not frames pass, too: what it then believes does no harm.
 */
public final class CloseFrameTracker implements FrameFilter {

    private final FrameHeaderReader head = new FrameHeaderReader();
    private long payload;
    private boolean closing;
    private boolean sawClose;

    @Override
    public @Nullable ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        while (at < end) {
            if (payload > 0) {
                long skipped = Math.min(payload, end - at);
                payload -= skipped;
                at += (int) skipped;
                sawClose |= closing && payload == 0;
            } else if (head.take(in.getByte(at++))) {
                payload = head.length() < 0 ? Long.MAX_VALUE : head.length();
                closing = head.opcode() == FrameHeaderReader.CLOSE;
                sawClose |= closing && payload == 0;
            }
        }
        out.accept(in);
        return null;
    }

    @Override
    public void taken() {}

    @Override
    public boolean sawClose() {
        return sawClose;
    }

    @Override
    public boolean betweenFrames() {
        return payload == 0 && head.atStart();
    }

    @Override
    public void close() {}
}
