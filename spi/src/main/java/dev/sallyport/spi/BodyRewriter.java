package dev.sallyport.spi;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * Rewrites one body as it streams. One instance serves one body, on one thread at a time; it must not block. Memory must
 * be bounded whatever the body's length. What it throws ends the exchange with a 500, or breaks it off; to refuse a message
 * for what is in it, throw {@link LateRejectException}. What only looks, and may refuse, is a {@link BodyCheck}: digests in the
 * head ({@code Content-MD5}, RFC 9530) stay with it, which are lost where there is a rewriter.
 */
public interface BodyRewriter {

    /**
     * The length that the output will have for an input of this length; both empty when unknown. Asked before the first
     * byte. A known answer is kept as {@code Content-Length} and checked.
     */
    default OptionalLong length(OptionalLong in) {
        return OptionalLong.empty();
    }

    /** Takes some bytes; {@code in} is valid during the call only. What is not yet written is kept by the rewriter. */
    void write(ByteBuffer in, Sink out);

    /** Takes the end of the body. */
    void end(Sink out);

    /**
     * Whether the output so far differs from the input: true by the end of the call that wrote the difference. An unchanged
     * body that is still queued at its end goes on in its original bytes, content coding included; and a rewriter that puts
     * credentials in is taken to have done so once this is true.
     */
    default boolean changed() {
        return true;
    }

    /** Where output goes. Valid during the call that it was handed to. */
    interface Sink {

        /** Writes bytes, which are copied before the call returns. */
        void write(ByteBuffer bytes);

        /**
         * Passes bytes of the buffer that is being rewritten on, without copying them. Not in {@link BodyRewriter#end}.
         *
         * @param index absolute index into the current {@code in}
         * @param length number of bytes
         */
        void forward(int index, int length);
    }
}
