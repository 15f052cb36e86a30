package dev.sallyport.core.pipeline;

/**
 * What an {@link InterimResponseRun} asks of its exchange, and tells it. All calls are on the exchange's loop; exactly
 * one verdict is given.
 */
public interface InterimCallbacks extends ResponseExchange {

    /** Verdict: the head is passed on as it is now. */
    void pass();

    /** Verdict: the head is dropped. */
    void drop();
}
