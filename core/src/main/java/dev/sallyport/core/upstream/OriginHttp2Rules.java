package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.http2.FieldSection;
import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.handler.codec.http2.Http2Error;
import org.jspecify.annotations.Nullable;

/** The rules of HTTP/2 for responses beyond what the decoder checks (RFC 9113, 8). Never quotes a value. */
final class OriginHttp2Rules {

    /** Returned for a malformed length, or one that the message cannot have. */
    static final long BAD_LENGTH = -2;

    private static final int NO_STATUS = 0;

    private OriginHttp2Rules() {}

    /** The status, or 0 when it is missing or malformed. */
    static int status(FieldSection fields) {
        String text = fields.status();
        if (text == null || text.length() != 3) {
            return NO_STATUS;
        }
        int status = 0;
        for (int i = 0; i < 3; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return NO_STATUS;
            }
            status = status * 10 + (digit - '0');
        }
        return status;
    }

    /** The fault in a head, or null. */
    static @Nullable String findFault(FieldSection fields, int status, boolean end) {
        if (!fields.malformed().isEmpty()) {
            return fields.malformed();
        }
        if (fields.tooLarge()) {
            return "longer than allowed";
        }
        if (status < 100) {
            return "a status that is no HTTP status (expected: three digits, from 100)";
        }
        if (fields.hasRequestPseudo()) {
            return "a pseudo-header field of requests";
        }
        if (status == 101) {
            return "101, which HTTP/2 does not have";
        }
        return status < 200 && end ? "an interim head that ends the message" : null;
    }

    /** The length of the body that follows a final head, or {@link #BAD_LENGTH}. */
    static long bodyLength(HeaderBlock headers, int status, boolean toHead, boolean end) {
        int at = headers.indexOf("content-length", 0);
        long declared = at < 0 ? ResponseMessage.UNKNOWN_LENGTH : FieldSyntax.length(headers.value(at));
        if (at >= 0 && (declared == FieldSyntax.INVALID_LENGTH || headers.indexOf("content-length", at + 1) >= 0)) {
            return BAD_LENGTH;
        }
        if (MessageFraming.isBodiless(status, toHead)) {
            return 0;
        }
        if (end) {
            return declared > 0 ? BAD_LENGTH : 0;
        }
        return declared;
    }

    /** The name of an error code. */
    static String name(@Nullable Http2Error error, long code) {
        return error == null ? "code " + code : error.name();
    }
}
