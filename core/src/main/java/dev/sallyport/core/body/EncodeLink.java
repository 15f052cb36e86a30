package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.Encoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.BooleanSupplier;

/** Applies the content coding again. */
final class EncodeLink extends ChainLink {

    private final Encoder encoder;
    private final PooledOutput emitter;
    private final BooleanSupplier hadBytes;
    private boolean written;

    /** @param hadBytes whether the original body had any: one without a byte stays so unless a stage adds some */
    EncodeLink(ByteBufAllocator allocator, ChainOutput next, Encoder encoder, BooleanSupplier hadBytes) {
        super(next);
        this.encoder = encoder;
        this.hadBytes = hadBytes;
        this.emitter = new PooledOutput(allocator, buffer -> next().write(buffer));
    }

    @Override
    public void write(ByteBuf in) {
        written = true;
        try {
            ByteQueue.views(in, view -> encoder.write(view, emitter));
        } finally {
            in.release();
        }
    }

    @Override
    public void flush() {
        encoder.flush(emitter);
        emitter.finish();
        next().flush();
    }

    @Override
    public void end() {
        if (written || hadBytes.getAsBoolean()) {
            encoder.end(emitter);
            emitter.finish();
        }
        next().end();
    }

    @Override
    void close() {
        emitter.close();
        encoder.close();
    }
}
