package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.List;

/** Notes how many bytes came with each call, and -1 for the end. */
record Counting(List<Integer> sizes) implements BodyRewriter {

    @Override
    public void write(ByteBuffer in, Sink out) {
        sizes.add(in.remaining());
        out.forward(0, in.limit());
    }

    @Override
    public void end(Sink out) {
        sizes.add(-1);
    }
}
