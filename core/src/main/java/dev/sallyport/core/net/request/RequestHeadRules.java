package dev.sallyport.core.net.request;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http1.AmbiguousFramingException;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;

/** Checks that the field lines of a request have exactly one reading (RFC 9112, 11). */
public final class RequestHeadRules {

    /** Colon, space, CR LF. */
    private static final int LINE_OVERHEAD = 4;

    /**
     * The refusal of trailers that would change a message's routing or framing if a recipient merged them into the
     * head.
     */
    public static final String HEAD_ONLY = "a trailer field that controls routing or framing (RFC 9110, 6.5.1)";

    private RequestHeadRules() {}

    /** Whether trailers hold only permitted fields. */
    public static boolean trailersMayStand(HeaderBlock trailers) {
        for (int i = 0; i < trailers.size(); i++) {
            if (ReservedFields.isHeadOnly(trailers.name(i))) {
                return false;
            }
        }
        return true;
    }

    /** Checks names, values and number of field lines. */
    public static void checkFields(HeaderBlock headers, int maxLines) throws RefusedException {
        checkCount(headers, maxLines);
        for (int i = 0; i < headers.size(); i++) {
            if (!FieldSyntax.isToken(headers.name(i))) {
                throw RefusedException.badRequest("the name of a header field is not a token");
            }
            if (!FieldSyntax.isValue(headers.value(i))) {
                throw RefusedException.badRequest("the value of a header field has a control character");
            }
        }
    }

    /** Checks the number of field lines. */
    public static void checkCount(HeaderBlock headers, int maxLines) throws RefusedException {
        if (headers.size() > maxLines) {
            throw new RefusedException(headTooLarge("there are too many header fields"), null);
        }
    }

    /** Whether trailer fields are no more and no longer than they may be. */
    public static boolean trailersFit(HeaderBlock trailers, ProxyLimits limits) {
        long bytes = 0;
        for (int i = 0; i < trailers.size(); i++) {
            bytes += trailers.name(i).length() + trailers.value(i).length() + LINE_OVERHEAD;
        }
        return trailers.size() <= limits.trailerCount()
                && bytes <= limits.trailerBytes().bytes();
    }

    /** The length of the body: bytes, or {@link MessageFraming#CHUNKED}. */
    public static long bodyLength(HeaderBlock headers, boolean http11) throws RefusedException {
        try {
            return MessageFraming.ofRequest(headers, http11);
        } catch (AmbiguousFramingException e) {
            throw RefusedException.badRequest(e.fault());
        }
    }

    public static Refusal headTooLarge(String detail) {
        return new Refusal(431, "header_fields_too_large", detail, "http_request_error");
    }

    /** The refusal of a head that exceeds the budget shared by all connections. */
    public static Refusal crowdedOut() {
        return new Refusal(503, "overloaded", "the memory for request heads is exhausted", "proxy_internal_response");
    }

    /** The refusal of more concurrent requests than one connection may make. */
    public static Refusal tooManyStreams() {
        return new Refusal(
                503,
                "too_many_streams",
                "more requests at a time than SETTINGS_MAX_CONCURRENT_STREAMS allows on one connection",
                "http_request_denied");
    }
}
