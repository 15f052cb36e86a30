package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/**
 * Removes the content coding of one body as it streams. One instance serves one body, on one thread at a time, without
 * blocking. It may hold native memory: {@link #close} must always be called. After a {@link CodingException} only
 * {@code close} is allowed.
 */
public interface Decoder extends AutoCloseable {

    /**
     * Takes coded bytes, heap or direct, and writes the decoded ones. Consumes all of {@code in}; writes output in
     * pieces of bounded size, as soon as it is known.
     *
     * @throws CodingException when the data is corrupt, continues after its end, or expands beyond the limits
     */
    void write(ByteBuffer in, Output out);

    /**
     * Takes the end of the body. A body without a single byte is complete.
     *
     * @throws CodingException when the data is not complete
     */
    void end(Output out);

    /**
     * Whether the framing so far has held text of its own, which is no content: the name, comment or extra field of gzip,
     * a skippable frame of zstd. The metadata of br is not seen, and stands as it is in coded bytes: where another coding
     * covers it, it is taken to be there.
     */
    default boolean hasFreeText() {
        return false;
    }

    /** Frees native memory at once. May be called again. */
    @Override
    void close();
}
