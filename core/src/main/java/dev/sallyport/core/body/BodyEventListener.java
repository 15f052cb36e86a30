package dev.sallyport.core.body;

/** Receives events worth an annotation that end nothing. Called on the event loop. */
@FunctionalInterface
public interface BodyEventListener {

    /**
     * An observer was detached: it threw, or the content coding could not be removed for it.
     *
     * @param position the transform, by its place in the pipeline
     * @param why holds nothing of the body
     */
    void observerDetached(int position, String why);

    /**
     * Something was wrong with what the sender had coded, and it was read nevertheless; only of a body that
     * {@linkplain MessageBody#tolerateCodings may be so}.
     *
     * @param code names it, as records do; may come more than once
     */
    default void tolerated(String code) {}
}
