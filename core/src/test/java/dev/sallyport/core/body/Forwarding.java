package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;

/** Forwards more than there is. */
record Forwarding() implements BodyRewriter {

    @Override
    public void write(ByteBuffer in, Sink out) {
        out.forward(1, in.limit());
    }

    @Override
    public void end(Sink out) {}
}
