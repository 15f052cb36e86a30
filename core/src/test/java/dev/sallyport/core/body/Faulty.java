package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Throws in one of its methods. */
record Faulty(Where where) implements BodyRewriter {

    enum Where {
        LENGTH,
        WRITE,
        END,
        CHANGED
    }

    private void check(Where here) {
        if (here == where) {
            throw new IllegalStateException("s3cr3t");
        }
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        check(Where.LENGTH);
        return OptionalLong.empty();
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        out.forward(0, 1);
        out.write(in.slice(0, 1));
        check(Where.WRITE);
    }

    @Override
    public void end(Sink out) {
        check(Where.END);
    }

    @Override
    public boolean changed() {
        check(Where.CHANGED);
        return true;
    }
}
