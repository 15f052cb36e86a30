package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Promises a length whatever comes. */
record Promising(long promised) implements BodyRewriter {

    @Override
    public OptionalLong length(OptionalLong in) {
        return OptionalLong.of(promised);
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        out.write(in);
    }

    @Override
    public void end(Sink out) {}
}
