package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/**
 * Applies a content coding to one body as it streams, at a fast level. One instance serves one body, on one thread at a
 * time, without blocking. It may hold native memory: {@link #close} must always be called.
 */
public interface Encoder extends AutoCloseable {

    /** Takes bytes, heap or direct. Consumes all of {@code in}; may hold output back. */
    void write(ByteBuffer in, Output out);

    /**
     * Writes everything taken so far in a form that the receiver can decode at once. To be called after each chunk of a
     * stream whose receiver waits for it (server-sent events). Writes nothing when nothing is held back.
     */
    void flush(Output out);

    /** Ends the coded data. */
    void end(Output out);

    /** Frees native memory at once. May be called again. */
    @Override
    void close();
}
