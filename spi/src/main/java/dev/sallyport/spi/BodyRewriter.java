package dev.sallyport.spi;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * Rewrites one body as it streams. One instance serves one body, on one thread at a time; it must not block. Memory
 * must be bounded whatever the body's length. An exception ends the exchange with a 500, or aborts it; to refuse a
 * message for its content, throw {@link LateRejectException}. To inspect and refuse without changing anything, use a
 * {@link BodyCheck}: it preserves digests in the head ({@code Content-MD5}, RFC 9530), which a rewriter loses.
 */
public interface BodyRewriter {

    /**
     * The length that the output will have for an input of this length; both empty when unknown. Asked before the first
     * byte. A known length is sent as {@code Content-Length} and checked.
     */
    default OptionalLong length(OptionalLong in) {
        return OptionalLong.empty();
    }

    /** Accepts some bytes; {@code in} is valid during the call only. The rewriter keeps what it has not yet written. */
    void write(ByteBuffer in, Sink out);

    /** The body has ended. */
    void end(Sink out);

    /**
     * Whether the output so far differs from the input: true by the end of the call that wrote the difference. An
     * unchanged body that is still queued at its end goes on in its original bytes, content coding included; and a
     * rewriter that inserts credentials counts as having done so once this is true.
     */
    default boolean changed() {
        return true;
    }

    /** Receives the output. Valid during the call that it was passed to. */
    interface Sink {

        /** Writes bytes, which are copied before the call returns. */
        void write(ByteBuffer bytes);

        /**
         * Forwards bytes of the buffer that is being rewritten, without copying them. Not available in {@link
         * BodyRewriter#end}.
         *
         * @param index absolute index into the current {@code in}
         * @param length number of bytes
         */
        void forward(int index, int length);
    }
}
