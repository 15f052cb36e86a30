package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** One decoder feeding another. */
final class DecoderChain implements Decoder {

    private final Decoder outer;
    private final Decoder inner;
    private final boolean hides;
    private final Output between = this::pass;
    private Output receiver = bytes -> {};

    /**
     * @param outer what was applied last and is removed first
     * @param hides whether the inner coding has room for text that its decoder does not tell of
     */
    DecoderChain(Decoder outer, Decoder inner, boolean hides) {
        this.outer = outer;
        this.inner = inner;
        this.hides = hides;
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
        return hides || outer.hasFreeText() || inner.hasFreeText();
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
