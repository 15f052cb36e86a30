package dev.sallyport.spi;

import java.nio.ByteBuffer;

/**
 * Looks at one body as it streams, and may refuse it; changes nothing. One instance serves one body, on one thread at a
 * time; it must not block. Memory must be bounded whatever the body's length.
 *
 * <p>The very bytes that came go on, with their length and digests: each once {@link #data} has returned for it, and the
 * last of a body whose length is known beforehand once {@link #end} has. So a message that is refused, be it at its end,
 * never reaches its receiver whole. Coded bytes go on once what they decode to, as far as that is possible without more of
 * them, has been checked. To refuse it for what is in it, throw {@link LateRejectException}; whatever else is
 * thrown ends the exchange with a 500, or breaks it off.
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

    /** That was all of it. Not called where the body is broken off before. */
    void end();
}
