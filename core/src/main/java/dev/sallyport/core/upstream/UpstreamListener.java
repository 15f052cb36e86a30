package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;

/**
 * The receiving half of one exchange with an origin. All calls on the stream's event loop. Order: ready, any number of
 * interim heads, the head, data, the end; or a failure at any point, after which nothing follows.
 */
public interface UpstreamListener {

    /** The stream can be used; nothing has been sent. */
    void onReady(UpstreamStream stream);

    /** An interim (1xx) head; also 100. Not 101, which is a final head. */
    void onInterim(ResponseMessage head);

    /**
     * The final head, hop-by-hop fields still in it; {@code end} when no body follows: then neither data nor
     * {@link #onEnd} come. After a 101 data are the bytes of the connection, in both directions.
     */
    void onHead(ResponseMessage head, boolean end);

    /** Some of the body; the listener owns the buffer. */
    void onData(ByteBuf data);

    /** The message is complete. */
    void onEnd(HeaderBlock trailers);

    /** The transport accepts data again. */
    void onWritable();

    /** The exchange ended early. */
    void onFailure(UpstreamFailure failure);
}
