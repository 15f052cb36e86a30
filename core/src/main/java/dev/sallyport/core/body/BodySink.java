package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/**
 * Receives a body. Called on the event loop of its {@link MessageBody}, which it may call back. Order: {@link #begin},
 * data, {@link #end}; or {@link #failed} at any point, after which nothing follows.
 */
public interface BodySink {

    /**
     * The body begins: send the message's head now.
     *
     * @param length the exact number of bytes that follow, or -1 when it is not known
     */
    void begin(long length);

    /** Some bytes; the sink owns the buffer. */
    void data(ByteBuf data);

    /** The body is complete; the trailer fields may be empty. */
    void end(HeaderBlock trailers);

    /** There is no body, or the rest of it will not come: the receiver must not take it for a complete message. */
    void failed(BodyFailure failure);

    /** Whether the sink accepts more; {@link MessageBody#writable} reports changes. */
    boolean isWritable();
}
