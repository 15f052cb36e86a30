package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/**
 * Receives the events of the client's side of one exchange from the protocol. All calls on the exchange's loop. After
 * {@link ClientStream#end} or {@link ClientStream#abort} no call follows: the rest of the request is discarded. After a
 * 101 head only the end of both halves, or an abort, has that effect.
 */
public interface ClientStreamListener {

    /** Some of the request's body; the exchange owns the buffer. */
    void onData(ByteBuf data);

    /**
     * The request is complete. Called also for requests without a body. After a 101 head {@link #onData} carries the
     * bytes of the other protocol, and this is called a second time when the client ends its half.
     */
    void onEnd(HeaderBlock trailers);

    /** The client accepts data again. */
    void onWritable();

    /** The client is gone. No call follows. */
    void onGone(DisconnectReason why);

    /**
     * The client's message was cut off: it is malformed, or its body stalled. It can still be answered through the
     * {@link ClientStream}, then the connection closes. No call follows, not even {@link #onGone}.
     *
     * @param why the response for the client, if none has begun
     */
    void onBroken(Refusal why);
}
