package dev.sallyport.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A transform that waits for something. The engine calls {@link #await} on a virtual thread of its own for each
 * exchange; the number of such threads is limited globally (beyond it: 503 {@code overloaded}). The thread is
 * interrupted at the deadline or when the client goes away.
 */
@FunctionalInterface
public interface BlockingTransform extends Transform {

    /** Judges the head of a request. May block; must end promptly when interrupted. */
    Decision await(RequestContext context) throws Exception;

    /** For callers that know only {@link Transform}: runs {@link #await} on the calling thread. */
    @Override
    default CompletionStage<Decision> onRequest(RequestContext context) {
        try {
            return CompletableFuture.completedFuture(await(context));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
