package dev.sallyport.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A transform that only computes. The engine calls {@link #decide} directly on the event loop, without a future.
 * Implementations must not block, and must not keep the context or anything reached through it after the call.
 */
@FunctionalInterface
public interface InlineTransform extends Transform {

    /** Judges the head of a request. */
    Decision decide(RequestContext context);

    /** For callers that know only {@link Transform}; the engine calls {@link #decide}. */
    @Override
    default CompletionStage<Decision> onRequest(RequestContext context) {
        return CompletableFuture.completedFuture(decide(context));
    }
}
