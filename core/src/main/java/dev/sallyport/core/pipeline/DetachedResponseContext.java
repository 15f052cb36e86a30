package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseHead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The context of a response step that runs off the loop: an immutable copy. */
record DetachedResponseContext(
        String exchangeId,
        Destination destination,
        RequestHead request,
        ResponseHead head,
        boolean answeredLocally,
        boolean repeatable,
        @Nullable Body read,
        DeferredTrace trace,
        long deadline)
        implements ResponseContext {

    @Override
    public Body body() {
        if (read == null) {
            throw new IllegalStateException("the body has not been read (expected: ResponseDecision.read first)");
        }
        return read;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(deadline - System.nanoTime());
    }
}
