package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.InvalidLineSeparatorException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/** The rules of HTTP/1.1 for responses beyond what the decoder checks (RFC 9110, RFC 9112). Never quotes a value. */
final class OriginHttp1Rules {

    private OriginHttp1Rules() {}

    /** The fault in a response head that the decoder accepted, or null. */
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
        return MessageFaults.find((HeaderBlock) response.headers());
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

    /** Describes why the decoder rejected a message; its own messages may quote what it read. */
    static String describe(Throwable cause) {
        return switch (cause) {
            case TooLongHttpLineException e -> "the status line is too long";
            case TooLongHttpHeaderException e -> "the field lines are too long";
            case InvalidLineSeparatorException e -> "a line that does not end in CRLF";
            case OriginHttp1Decoder.FoldedLineException e -> "a folded field line";
            case OriginHttp1Decoder.ManyLengthsException e -> "more than one Content-Length";
            case NumberFormatException e -> "a number that is none (a status, a length or the size of a chunk)";
            default -> "a malformed message";
        };
    }
}
