package dev.sallyport.spi;

import java.util.concurrent.CompletionStage;

/**
 * Judges and edits requests, and through the steps that it returns, responses.
 *
 * <p>This is the asynchronous form. Most transforms implement {@link InlineTransform} (computes, never waits) or
 * {@link BlockingTransform} (waits, on a virtual thread) instead.
 *
 * <p><b>Threads.</b> An instance is shared by all exchanges of its pipeline generations and is called from many event
 * loops at once: it must be thread-safe. All calls for one exchange happen one after the other.
 *
 * <p><b>Failure.</b> An exception, a failed stage or a missed deadline refuses the exchange with 500 or 503
 * ({@code transform_failed}, {@code transform_timeout}); only transforms that declare
 * {@link Capabilities.Builder#observer()} are passed over instead.
 */
public interface Transform extends AutoCloseable {

    /**
     * Connection-level policy, before a CONNECT or SOCKS5 tunnel opens. Called on the event loop: must not block. The
     * first answer that is not {@link Admission.Pass} ends the round. The requests inside the tunnel run the pipeline
     * again in any case.
     */
    default Admission onConnect(ConnectContext context) {
        return Admission.pass();
    }

    /**
     * Judges the head of a request. Called on the event loop: must not block. The context handed to an asynchronous
     * transform is frozen and stays valid until the stage completes. The first of result, deadline and cancellation
     * wins; a late result is dropped.
     */
    CompletionStage<Decision> onRequest(RequestContext context);

    /** Releases what the instance holds. Called once, off the event loops, after the last exchange has left it. */
    @Override
    default void close() {}
}
