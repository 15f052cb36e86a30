package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import dev.sallyport.core.http.RequestMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** Writes the heads of requests to an origin (RFC 9112, 3 and 5). */
public final class RequestHeadWriter {

    private RequestHeadWriter() {}

    /**
     * A head. Fields keep their order and casing, and none is left out: fields of the client's connection were removed
     * before the pipeline, and those that ask for an upgrade are part of the request.
     *
     * @param chunked whether a body of unknown length follows, which adds its framing
     * @throws UnsendableMessageException when it would be read as something else
     */
    public static ByteBuf head(ByteBufAllocator allocator, RequestMessage head, boolean chunked) {
        return head(allocator, head, chunked, "", null);
    }

    /**
     * A head for a proxy that forwards the request: its target in absolute form (RFC 9112, 3.2.2; for the asterisk form
     * 3.2.4).
     *
     * @param authority of the target
     * @param credentials for the proxy; null for none
     */
    public static ByteBuf toForward(
            ByteBufAllocator allocator,
            RequestMessage head,
            boolean chunked,
            String authority,
            @Nullable String credentials) {
        return head(allocator, head, chunked, "http://" + authority, credentials);
    }

    private static ByteBuf head(
            ByteBufAllocator allocator,
            RequestMessage head,
            boolean chunked,
            String absolute,
            @Nullable String credentials) {
        UnsendableMessageException.throwIf(MessageFaults.find(head));
        HeadWriter out = HeadWriter.begin().text(head.method()).character(' ').text(absolute);
        if (absolute.isEmpty() || !head.path().equals("*")) {
            out.text(head.path());
        }
        String query = head.queryOrNull();
        if (query != null) {
            out.character('?').text(query);
        }
        HeaderBlock headers = head.headers();
        out.text(" HTTP/1.1\r\n").fields(headers);
        if (headers.contains("TE") && !headers.hasToken("Connection", "TE")) {
            out.field("Connection", "TE"); // RFC 9110, 10.1.4
        }
        if (credentials != null) {
            out.field("Proxy-Authorization", credentials);
        }
        if (chunked) {
            out.chunked();
        }
        return out.endOfLine().toBuffer(allocator);
    }
}
