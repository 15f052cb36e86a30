package dev.sallyport.core.pipeline;

/** The exchange, as the run of an interim response needs it. All calls on its loop; exactly one verdict is given. */
public interface InterimCallbacks extends ResponseExchange {

    /** Verdict: the head is passed on as it is now. */
    void pass();

    /** Verdict: the head is dropped. */
    void drop();
}
