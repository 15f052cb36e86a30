package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Swaps placeholders in one body, and refuses it when a value cannot take the place of its placeholder. */
record BodySwap(BodyRewriter rewriter) implements BodyRewriter {

    @Override
    public OptionalLong length(OptionalLong in) {
        return rewriter.length(in);
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        try {
            rewriter.write(in, out);
        } catch (UnsafeValueException e) {
            throw new LateRejectException(Refusals.unusable());
        }
    }

    @Override
    public void end(Sink out) {
        try {
            rewriter.end(out);
        } catch (UnsafeValueException e) {
            throw new LateRejectException(Refusals.unusable());
        }
    }

    @Override
    public boolean changed() {
        return rewriter.changed();
    }
}
