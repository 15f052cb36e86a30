package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.handler.codec.http.ContentLengthNotAllowedException;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.InvalidLineSeparatorException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/** What HTTP/1.1 demands of messages beyond what the decoder checks (RFC 9110, RFC 9112). Never names a value. */
final class OriginHttp1Rules {

    private OriginHttp1Rules() {}

    /** What is wrong with a request's framing, or null: two readings of it would be request smuggling. */
    static @Nullable String framingFault(RequestMessage head, boolean end) {
        HeaderBlock headers = head.headers();
        if (headers.contains("Transfer-Encoding")) {
            return "a Transfer-Encoding field (expected: none, the connection adds it)";
        }
        int at = headers.indexOf("Content-Length", 0);
        if (at < 0) {
            return null;
        }
        if (headers.indexOf("Content-Length", at + 1) >= 0 || FieldSyntax.length(headers.value(at)) != head.length()) {
            return "Content-Length is not the length of the message";
        }
        return end && head.length() != 0 ? "Content-Length of a message without a body (expected: 0)" : null;
    }

    /** What is wrong with a response head that the decoder took, or null. */
    static @Nullable String findFault(HttpResponse response) {
        int code = response.status().code();
        if (code < 100 || code > 999) {
            return "a status that is no HTTP status (expected: three digits, from 100)";
        }
        if (response.protocolVersion().majorVersion() != 1) {
            return "not HTTP/1";
        }
        if (response.status().reasonPhrase().indexOf(0) >= 0) {
            return "a control character in the status line";
        }
        HeaderBlock headers = (HeaderBlock) response.headers();
        String fault = findFault(headers);
        if (fault == null
                && headers.contains("Transfer-Encoding")
                && (headers.count("Transfer-Encoding") != 1
                        || !headers.value(headers.indexOf("Transfer-Encoding", 0))
                                .equalsIgnoreCase("chunked"))) {
            return "a transfer coding that was not asked for (expected: chunked)";
        }
        return fault;
    }

    /** What is wrong with field lines that the decoder took, or null. */
    static @Nullable String findFault(HeaderBlock fields) {
        for (int i = 0; i < fields.size(); i++) {
            if (!FieldSyntax.isToken(fields.name(i))) {
                return "a field name that is not a token";
            }
            if (!FieldSyntax.isTransmissible(fields.value(i))) {
                return "a control character in a field value";
            }
        }
        return null;
    }

    /** The length of the body that follows a final head without fault. */
    static long bodyLength(HttpResponse response, boolean bodiless) {
        HeaderBlock headers = (HeaderBlock) response.headers();
        if (bodiless) {
            return 0;
        }
        String length = headers.contains("Transfer-Encoding") ? null : headers.first("Content-Length");
        return length == null ? ResponseMessage.UNKNOWN_LENGTH : FieldSyntax.length(length);
    }

    /** Whether the origin keeps the connection open after this response (RFC 9112, 9.3). */
    static boolean isPersistent(HttpResponse response) {
        HeaderBlock headers = (HeaderBlock) response.headers();
        if (headers.hasToken("Connection", "close")) {
            return false;
        }
        return response.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0
                || headers.hasToken("Connection", "keep-alive");
    }

    /** Says why the decoder did not take a message; its own words may quote what it read. */
    static String describe(Throwable cause) {
        return switch (cause) {
            case TooLongHttpLineException e -> "the status line is too long";
            case TooLongHttpHeaderException e -> "the field lines are too long";
            case InvalidLineSeparatorException e -> "a line that does not end in CRLF";
            case ContentLengthNotAllowedException e -> "Content-Length together with Transfer-Encoding";
            case OriginHttp1Decoder.FoldedLineException e -> "a folded field line";
            case OriginHttp1Decoder.ManyLengthsException e -> "more than one Content-Length";
            case NumberFormatException e -> "a number that is none (a status, a length or the size of a chunk)";
            default -> "a malformed message";
        };
    }
}
