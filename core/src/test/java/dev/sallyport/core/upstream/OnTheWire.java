package dev.sallyport.core.upstream;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http1.RequestHeadWriter;
import dev.sallyport.core.http1.UnsendableMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;

/** What an origin of HTTP/1.1 is sent. */
public final class OnTheWire {

    private OnTheWire() {}

    /** The head of a request, as it leaves when no transform has touched it. */
    public static byte[] head(RequestMessage head) {
        boolean chunked = head.length() == RequestMessage.UNKNOWN_LENGTH;
        ByteBuf out;
        try {
            out = RequestHeadWriter.head(UnpooledByteBufAllocator.DEFAULT, head, chunked);
        } catch (UnsendableMessageException e) {
            throw new AssertionError("a request was accepted that cannot be sent: " + e.fault(), e);
        }
        try {
            return ByteBufUtil.getBytes(out);
        } finally {
            out.release();
        }
    }
}
