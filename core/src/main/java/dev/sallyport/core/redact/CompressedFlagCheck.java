package dev.sallyport.core.redact;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;

/**
 * Refuses messages of a call that are flagged as compressed although their coding is unknown or {@code identity}
 * ("Compressed-Flag" and "Message-Encoding" of the protocol gRPC over HTTP/2, which calls for INTERNAL; the Connect
 * protocol has the same flag): they cannot be searched, and a client may read them all the same. In the text form of
 * gRPC-Web, frames are in Base64, which may be padded between them.
 */
final class CompressedFlagCheck implements BodyCheck {

    /** The code of the refusal. */
    static final String CODE = "compressed_message";

    private static final int COMPRESSED = 1;

    /** The flag, and the length in four bytes, the highest first. */
    private static final int PREFIX = 1 + Integer.BYTES;

    private static final int DIGIT_BITS = 6;

    private final boolean base64;
    private int prefixLength;
    private long missing;

    // The digits whose bits have not made a byte yet.
    private int bits;
    private int bitCount;

    /** @param base64 whether the body is in Base64 */
    CompressedFlagCheck(boolean base64) {
        this.base64 = base64;
    }

    @Override
    public void data(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            if (base64) {
                digit(bytes.get());
            } else if (missing > 0 && prefixLength == PREFIX) {
                int length = (int) Math.min(missing, bytes.remaining());
                bytes.position(bytes.position() + length);
                skip(length);
            } else {
                octet(bytes.get() & 0xff);
            }
        }
    }

    private void digit(byte c) {
        int value = Base64Digit.value(c);
        if (value < 0) {
            bitCount = c == '=' ? 0 : bitCount; // behind padding, the next segment begins
            return;
        }
        bits = bits << DIGIT_BITS | value;
        bitCount += DIGIT_BITS;
        if (bitCount >= Byte.SIZE) {
            bitCount -= Byte.SIZE;
            octet(bits >>> bitCount & 0xff);
        }
    }

    private void octet(int value) {
        if (prefixLength == PREFIX) {
            skip(1);
            return;
        }
        if (prefixLength == 0 && (value & COMPRESSED) != 0) {
            throw new LateRejectException(Decision.reject(
                    502, CODE, "A message of the response is flagged as compressed, and its coding is unknown."));
        }
        missing = prefixLength == 0 ? 0 : missing << Byte.SIZE | value;
        prefixLength++;
        skip(0);
    }

    private void skip(int length) {
        if (prefixLength == PREFIX) {
            missing -= length;
            prefixLength = missing == 0 ? 0 : PREFIX;
        }
    }

    @Override
    public void end() {
        // A message that ends too soon is the client's to judge.
    }
}
