package dev.sallyport.spi;

import java.nio.ByteBuffer;

/**
 * Watches one body as it streams, without holding it up. One instance serves one body, on one thread at a time; it must
 * not block.
 */
public interface BodyObserver {

    /** Some bytes, valid during the call only. */
    void data(ByteBuffer bytes);

    /**
     * The end. Called exactly once.
     *
     * @param complete false when the body was aborted, or its content coding could not be removed
     */
    void end(boolean complete);
}
