package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** Request heads and chunk framing on the wire (RFC 9112). Field lines keep their order and casing. */
public final class RequestHeadWriter {

    private RequestHeadWriter() {}

    /**
     * What would be read by the origin as something else than what was meant, or null. It never names a value. The
     * engine refuses such edits long before; here is the last place to do so.
     */
    public static @Nullable String findFault(RequestMessage head) {
        if (!FieldSyntax.isToken(head.method())) {
            return "the method is not a token";
        }
        if (!FieldSyntax.isTargetText(head.path(), "")
                || head.path().isEmpty()
                || !FieldSyntax.isTargetText(head.query(), "")) {
            return "the target holds white space or a control character";
        }
        return findFault(head.headers());
    }

    public static @Nullable String findFault(HeaderBlock fields) {
        for (int i = 0; i < fields.size(); i++) {
            if (!FieldSyntax.isToken(fields.name(i))) {
                return "a field name is not a token";
            }
            if (!FieldSyntax.isTransmissible(fields.value(i))) {
                return "a value of the field " + fields.name(i) + " holds a line break, NUL or a wide character";
            }
        }
        return null;
    }

    /** The head; {@code chunked} adds the framing for a body of unknown length. */
    public static ByteBuf head(ByteBufAllocator allocator, RequestMessage head, boolean chunked) {
        HeadBuffer out = HeadBuffer.begin().text(head.method()).raw(' ').text(head.path());
        String query = head.queryOrNull();
        if (query != null) {
            out.raw('?').text(query);
        }
        HeaderBlock headers = head.headers();
        out.text(" HTTP/1.1\r\n").fields(headers);
        if (headers.contains("TE") && !headers.hasToken("Connection", "TE")) {
            out.text("Connection: TE\r\n"); // RFC 9110, 10.1.4
        }
        if (chunked) {
            out.text("Transfer-Encoding: chunked\r\n");
        }
        return out.endOfLine().toBuffer(allocator);
    }

    /** What goes before the bytes of a chunk. */
    public static ByteBuf chunkStart(ByteBufAllocator allocator, int length, boolean first) {
        HeadBuffer out = HeadBuffer.begin();
        if (!first) {
            out.endOfLine();
        }
        return out.text(Integer.toHexString(length)).endOfLine().toBuffer(allocator);
    }

    /** What ends a chunked body. */
    public static ByteBuf chunkedEnd(ByteBufAllocator allocator, boolean first, HeaderBlock trailers) {
        HeadBuffer out = HeadBuffer.begin();
        if (!first) {
            out.endOfLine();
        }
        return out.text("0\r\n").fields(trailers).endOfLine().toBuffer(allocator);
    }
}
