package dev.sallyport.spi;

import java.util.concurrent.CompletionStage;

/**
 * Handles the response for a transform: called first with the head, and again with the body after it returned
 * {@link ResponseDecision.Read}. Also called for 103 (Early Hints) heads, which have no body. State of the request
 * lives in its closure.
 *
 * <p>Steps run in the reverse order of the pipeline, on upstream responses and on responses of later transforms, never
 * on the engine's own refusals.
 */
public sealed interface ResponseStep {

    /** Only computes: called on the event loop. */
    static ResponseStep inline(Inline step) {
        return step;
    }

    /** Waits without a thread: called on the event loop. */
    static ResponseStep async(Async step) {
        return step;
    }

    /** Waits: called on a virtual thread. */
    static ResponseStep blocking(Blocking step) {
        return step;
    }

    /**
     * As {@link #inline}, for responses with this status only: others, interim heads among them, cost nothing.
     *
     * @param status 200 to 599
     */
    static ResponseStep onStatus(int status, Inline step) {
        return new OnStatus(status, step);
    }

    /** Whether the step is asked about a response with this status. */
    default boolean concerns(int status) {
        return true;
    }

    /** See {@link #onStatus}. */
    record OnStatus(int status, Inline step) implements ResponseStep {
        public OnStatus {
            if (status < 200 || status > 599) {
                throw new IllegalArgumentException("status: " + status + " (expected: 200 to 599)");
            }
        }

        @Override
        public boolean concerns(int actual) {
            return actual == status;
        }
    }

    /** See {@link #inline}. Must not keep the context after the call. */
    @FunctionalInterface
    non-sealed interface Inline extends ResponseStep {
        ResponseDecision apply(ResponseContext context);
    }

    /** See {@link #async}. The context is frozen and its body is on the heap. */
    @FunctionalInterface
    non-sealed interface Async extends ResponseStep {
        CompletionStage<ResponseDecision> apply(ResponseContext context);
    }

    /** See {@link #blocking}. The context is frozen and its body is on the heap. */
    @FunctionalInterface
    non-sealed interface Blocking extends ResponseStep {
        ResponseDecision apply(ResponseContext context) throws Exception;
    }
}
