package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;

/**
 * The receiving half of one exchange with an origin. All calls are made on the stream's event loop, in this order:
 * ready, any number of interim heads, the head, data, the end. A failure may occur at any point, and is the last call.
 */
public interface UpstreamListener {

    /**
     * The limits on an exchange with an origin that a workload chose, given the usual ones; asked once for each stream,
     * before {@link #onReady}.
     */
    default OriginTimeouts timeouts(OriginTimeouts usual) {
        return usual;
    }

    /** The stream can be used; nothing has been sent. */
    void onReady(UpstreamStream stream);

    /** An interim (1xx) head, including 100 but not 101, which is a final head. */
    void onInterim(ResponseMessage head);

    /**
     * The final head, including its hop-by-hop fields. If {@code end}, neither data nor {@link #onEnd} follow. After a
     * 101, data are the bytes of the connection in both directions.
     */
    void onHead(ResponseMessage head, boolean end);

    /** A part of the body; the listener owns the buffer. */
    void onData(ByteBuf data);

    /** Something was put right behind the head, by its code (docs/spec/decisions.md, section 20). */
    default void onTolerated(String code) {}

    /** The message is complete. */
    void onEnd(HeaderBlock trailers);

    /** The transport accepts data again. */
    void onWritable();

    /** The exchange ended early. */
    void onFailure(UpstreamFailure failure);
}
