package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Visibility;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The context of a step that runs off the loop: an immutable copy. */
record DetachedRequestContext(
        String exchangeId,
        Connection connection,
        Destination destination,
        Visibility visibility,
        RequestHead head,
        @Nullable Body read,
        DeferredTrace trace,
        long deadline)
        implements RequestContext {

    @Override
    public Body body() {
        if (read == null) {
            throw new IllegalStateException("the body has not been read (expected: Decision.read first)");
        }
        return read;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(deadline - System.nanoTime());
    }
}
