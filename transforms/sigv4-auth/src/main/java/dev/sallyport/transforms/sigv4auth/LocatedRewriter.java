package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * Another rewriter, whose refusals say which rule matched the request.
 *
 * @param rule its position in the list, from 0
 */
record LocatedRewriter(BodyRewriter of, int rule) implements BodyRewriter {

    @Override
    public OptionalLong length(OptionalLong in) {
        return of.length(in);
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        try {
            of.write(in, out);
        } catch (LateRejectException e) {
            throw Refusals.located(e, rule);
        }
    }

    @Override
    public void end(Sink out) {
        try {
            of.end(out);
        } catch (LateRejectException e) {
            throw Refusals.located(e, rule);
        }
    }

    @Override
    public boolean changed() {
        return of.changed();
    }
}
