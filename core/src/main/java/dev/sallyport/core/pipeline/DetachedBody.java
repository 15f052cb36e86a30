package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A body for steps that leave the loop. It shares the bytes of the read, which nobody writes to any more: a copy of each
 * would be as much memory again for all that wait for a thread.
 */
record DetachedBody(ByteBuffer content, boolean truncated, Headers trailers, boolean carriesCredentials)
        implements Body {

    static @Nullable DetachedBody ofNullable(@Nullable Body body) {
        return body == null ? null : of(body);
    }

    private static DetachedBody of(Body body) {
        HeaderBlock trailers = new HeaderBlock(Math.max(1, body.trailers().size()));
        for (int i = 0; i < body.trailers().size(); i++) {
            trailers.append(body.trailers().name(i), body.trailers().value(i));
        }
        return new DetachedBody(body.bytes(), body.truncated(), trailers, body.carriesCredentials());
    }

    @Override
    public int length() {
        return content.remaining();
    }

    @Override
    public ByteBuffer bytes() {
        return content.duplicate();
    }
}
