package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.headers.FieldSyntax;
import org.jspecify.annotations.Nullable;

/**
 * Determines from its head where a message ends (RFC 9112, 6.3). The two directions differ: a client's request must
 * have exactly one reading, while a response may also be ended by its status, by its request or by the end of the
 * connection, and equal repetitions of its length have been merged before (RFC 9110, 8.6).
 */
public final class MessageFraming {

    /** The chunks determine where the body ends. */
    public static final long CHUNKED = RequestMessage.UNKNOWN_LENGTH;

    /** The body ends with the connection. */
    public static final long UNTIL_CLOSE = -2;

    private static final String CONTENT_LENGTH = "Content-Length";
    private static final String TRANSFER_ENCODING = "Transfer-Encoding";

    private MessageFraming() {}

    /** The length of a request's body: bytes, or {@link #CHUNKED}. */
    public static long ofRequest(HeaderBlock headers, boolean http11) throws AmbiguousFramingException {
        int coding = headers.indexOf(TRANSFER_ENCODING, 0);
        int length = headers.indexOf(CONTENT_LENGTH, 0);
        if (coding < 0) {
            if (length < 0) {
                return 0;
            }
            if (headers.indexOf(CONTENT_LENGTH, length + 1) >= 0) {
                throw new AmbiguousFramingException("there is more than one Content-Length");
            }
            return stated(headers.value(length));
        }
        if (length >= 0) {
            throw new AmbiguousFramingException("there are both Content-Length and Transfer-Encoding");
        }
        if (!http11) {
            throw new AmbiguousFramingException("Transfer-Encoding in a request of HTTP/1.0");
        }
        if (!isChunked(headers, coding)) {
            throw new AmbiguousFramingException("the Transfer-Encoding is not exactly chunked");
        }
        return CHUNKED;
    }

    /**
     * The length of a response's body: bytes, {@link #CHUNKED} or {@link #UNTIL_CLOSE}.
     *
     * @param bodiless whether it {@linkplain #isBodiless ends with its head}; its framing fields must be valid
     *     nevertheless
     */
    public static long ofResponse(HeaderBlock headers, boolean bodiless) throws AmbiguousFramingException {
        int coding = headers.indexOf(TRANSFER_ENCODING, 0);
        if (coding >= 0 && !isChunked(headers, coding)) {
            throw new AmbiguousFramingException("a transfer coding that was not asked for (expected: chunked)");
        }
        if (bodiless) {
            return 0;
        }
        if (coding >= 0) {
            return CHUNKED;
        }
        int length = headers.indexOf(CONTENT_LENGTH, 0);
        return length < 0 ? UNTIL_CLOSE : stated(headers.value(length));
    }

    /** Whether a response ends with its head, whatever its framing fields say. */
    public static boolean isBodiless(int status, boolean toHead) {
        return toHead || !ResponseMessage.mayHaveBody(status);
    }

    /** The fault in the framing of a request to be sent, or null: two readings would be smuggling. */
    public static @Nullable String findFault(RequestMessage head, boolean end) {
        HeaderBlock headers = head.headers();
        if (headers.contains(TRANSFER_ENCODING)) {
            return "a Transfer-Encoding field (expected: none, the connection adds it)";
        }
        int at = headers.indexOf(CONTENT_LENGTH, 0);
        if (at < 0) {
            return null;
        }
        long stated = FieldSyntax.length(headers.value(at));
        if (stated == FieldSyntax.INVALID_LENGTH
                || stated != head.length()
                || headers.indexOf(CONTENT_LENGTH, at + 1) >= 0) {
            return "Content-Length is not the length of the message";
        }
        return end && head.length() != 0 ? "Content-Length of a message without a body (expected: 0)" : null;
    }

    private static boolean isChunked(HeaderBlock headers, int coding) {
        return headers.indexOf(TRANSFER_ENCODING, coding + 1) < 0
                && headers.value(coding).equalsIgnoreCase("chunked");
    }

    private static long stated(String digits) throws AmbiguousFramingException {
        long length = FieldSyntax.length(digits);
        if (length == FieldSyntax.INVALID_LENGTH) {
            throw new AmbiguousFramingException("the Content-Length is not a number of bytes");
        }
        return length;
    }
}
