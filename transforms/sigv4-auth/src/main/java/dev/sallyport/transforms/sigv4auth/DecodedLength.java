package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Headers;
import dev.sallyport.spi.LateRejectException;
import java.util.List;

/**
 * Compares the declared with the actual length of an {@code aws-chunked} content without its framing. Not thread-safe.
 */
final class DecodedLength {

    private static final long UNKNOWN = -1;
    private static final int MOST_DIGITS = 18;

    private final long declared;
    private long seen;

    private DecodedLength(long declared) {
        this.declared = declared;
    }

    /** The value of {@code x-amz-decoded-content-length}; without it, every length is valid. */
    static DecodedLength of(Headers headers) {
        List<String> given = headers.all(Names.DECODED_LENGTH);
        return new DecodedLength(
                given.size() == 1 && isNumber(given.getFirst()) ? Long.parseLong(given.getFirst()) : UNKNOWN);
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    void add(long length) {
        seen += length;
        if (declared != UNKNOWN && seen > declared) {
            throw wrong();
        }
    }

    void requireAll() {
        if (declared != UNKNOWN && seen != declared) {
            throw wrong();
        }
    }

    private static LateRejectException wrong() {
        return Refusals.framing("the length differs from x-amz-decoded-content-length");
    }
}
