package dev.sallyport.spi;

import java.nio.ByteBuffer;

/**
 * Looks at one body as it streams, and may refuse it; changes nothing. One instance serves one body, on one thread at a
 * time; it must not block. Memory must be bounded whatever the body's length.
 *
 * <p>The engine forwards the original bytes, with their length and digests: each byte once {@link #data} has returned
 * for it, and the last bytes of a body whose length is known beforehand once {@link #end} has returned. So a refused
 * message, even one refused at its end, never reaches its receiver whole. Coded bytes are forwarded once their decoded
 * form, as far as it can be decoded without more of them, has been checked. To refuse the body for its content, throw
 * {@link LateRejectException}; any other exception ends the exchange with a 500, or aborts it.
 *
 * <pre>{@code
 * final class NoNulBytes implements BodyCheck {
 *     @Override
 *     public void data(ByteBuffer bytes) {
 *         while (bytes.hasRemaining()) {
 *             if (bytes.get() == 0) {
 *                 throw new LateRejectException(Decision.reject(400, "nul_in_body", "There is a NUL in this body."));
 *             }
 *         }
 *     }
 *
 *     @Override
 *     public void end() {}
 * }
 * }</pre>
 *
 * @see Edits.Builder#checkBody
 */
public interface BodyCheck {

    /** Some bytes, read-only; valid during the call only. */
    void data(ByteBuffer bytes);

    /** The body has ended. Not called if the body is aborted before. */
    void end();
}
