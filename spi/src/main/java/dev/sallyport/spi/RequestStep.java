package dev.sallyport.spi;

import java.util.concurrent.CompletionStage;

/**
 * The continuation of a {@link Decision.Read}: runs once the body has been read. Its form determines the thread on
 * which it runs.
 *
 * <p>A step may return {@link Decision.Read} again only to ask for more than it had.
 */
public sealed interface RequestStep {

    /** Only computes: called on the event loop. */
    static RequestStep inline(Inline step) {
        return step;
    }

    /** Waits without a thread: called on the event loop. */
    static RequestStep async(Async step) {
        return step;
    }

    /** Waits: called on a virtual thread. */
    static RequestStep blocking(Blocking step) {
        return step;
    }

    /** See {@link #inline}. Must not keep the context after the call. */
    @FunctionalInterface
    non-sealed interface Inline extends RequestStep {
        Decision apply(RequestContext context);
    }

    /** See {@link #async}. The context is frozen and its body is on the heap. */
    @FunctionalInterface
    non-sealed interface Async extends RequestStep {
        CompletionStage<Decision> apply(RequestContext context);
    }

    /** See {@link #blocking}. The context is frozen and its body is on the heap. */
    @FunctionalInterface
    non-sealed interface Blocking extends RequestStep {
        Decision apply(RequestContext context) throws Exception;
    }
}
