package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** One decoder feeding another. */
final class DecoderChain implements Decoder {

    private final Decoder outer;
    private final Decoder inner;
    private final Output between = this::pass;
    private Output receiver = bytes -> {};

    /** @param outer what was applied last and is removed first */
    DecoderChain(Decoder outer, Decoder inner) {
        this.outer = outer;
        this.inner = inner;
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        receiver = out;
        outer.write(in, between);
    }

    @Override
    public void end(Output out) {
        receiver = out;
        outer.end(between);
        inner.end(out);
    }

    @Override
    public boolean hasFreeText() {
        return outer.hasFreeText() || inner.hasFreeText();
    }

    @Override
    public void close() {
        outer.close();
        inner.close();
    }

    private void pass(ByteBuffer bytes) {
        inner.write(bytes, receiver);
    }
}
