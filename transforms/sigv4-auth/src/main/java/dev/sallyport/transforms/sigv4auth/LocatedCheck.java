package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;

/**
 * Another check, whose refusals say which rule matched the request.
 *
 * @param rule its position in the list, from 0
 */
record LocatedCheck(BodyCheck of, int rule) implements BodyCheck {

    @Override
    public void data(ByteBuffer bytes) {
        try {
            of.data(bytes);
        } catch (LateRejectException e) {
            throw Refusals.located(e, rule);
        }
    }

    @Override
    public void end() {
        try {
            of.end();
        } catch (LateRejectException e) {
            throw Refusals.located(e, rule);
        }
    }
}
