package dev.sallyport.core.http2;

import io.netty.channel.ChannelPromise;

/** A stream as its connection's {@link FrameScheduler} sees it. All calls on the connection's loop. */
public interface SendingStream {

    /** The stream identifier. */
    int id();

    /** The data to be sent. */
    StreamSendQueue sendQueue();

    /**
     * The promise with which to write a frame of this stream; a void promise when nothing waits for it.
     *
     * @param last whether the frame ends the stream
     */
    ChannelPromise promise(boolean last);

    /** A frame has left the queue, so there is more room. */
    void drained();

    /** The frame that ends this side of the stream has been written. */
    void written();

    /**
     * The trailers cannot be sent. The body was sent whole; without its trailers it would look like a message that had
     * none.
     */
    void unsendable(IllegalArgumentException reason);
}
