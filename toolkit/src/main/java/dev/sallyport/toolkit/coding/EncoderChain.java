package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** One encoder feeding another. */
final class EncoderChain implements Encoder {

    private final Encoder inner;
    private final Encoder outer;
    private final Output between = this::pass;
    private Output receiver = bytes -> {};

    /** @param inner what is applied first */
    EncoderChain(Encoder inner, Encoder outer) {
        this.inner = inner;
        this.outer = outer;
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        receiver = out;
        inner.write(in, between);
    }

    @Override
    public void flush(Output out) {
        receiver = out;
        inner.flush(between);
        outer.flush(out);
    }

    @Override
    public void end(Output out) {
        receiver = out;
        inner.end(between);
        outer.end(out);
    }

    @Override
    public void close() {
        inner.close();
        outer.close();
    }

    private void pass(ByteBuffer bytes) {
        outer.write(bytes, receiver);
    }
}
