package dev.sallyport.spi;

import java.nio.ByteBuffer;

/**
 * Watches one body as it streams, without holding it up. One instance serves one body, on one thread at a time; it must
 * not block. It cannot refuse: see {@link BodyCheck}.
 */
public interface BodyObserver {

    /** Some bytes, valid during the call only. */
    void data(ByteBuffer bytes);

    /**
     * Whether the observer needs no more bytes; asked after each {@link #data}. Once it is true, the engine need not
     * show the rest, nor remove the content coding from it.
     */
    default boolean satisfied() {
        return false;
    }

    /**
     * The engine shows no more, although the body may continue: its content coding cannot be removed, or it now holds
     * credentials that this transform must not see. Followed by {@link #end} with false.
     *
     * @param why for the audit record; holds nothing of the body
     */
    default void withheld(String why) {}

    /**
     * The end. Called exactly once.
     *
     * @param complete false when the body was aborted, or its content coding could not be removed
     */
    void end(boolean complete);
}
