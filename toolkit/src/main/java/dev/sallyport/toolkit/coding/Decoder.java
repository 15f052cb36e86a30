package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/**
 * Removes the content coding of one body as it streams. One instance serves one body, on one thread at a time, without
 * blocking. It may hold native memory: {@link #close} must be called however the body ends. After a
 * {@link CodingException} only {@code close} is allowed.
 */
public interface Decoder extends AutoCloseable {

    /**
     * Takes some coded bytes, heap or direct, and writes what they decode to. The whole of {@code in} is consumed; output
     * is handed on in pieces of bounded size, as far as it can be known.
     *
     * @throws CodingException when the data is corrupt, goes on after its end, or expands beyond the limits
     */
    void write(ByteBuffer in, Output out);

    /**
     * Takes the end of the body. A body without a single byte is complete.
     *
     * @throws CodingException when the data is not complete
     */
    void end(Output out);

    /** Frees native memory at once. May be called again. */
    @Override
    void close();
}
