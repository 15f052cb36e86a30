package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/**
 * The client's side of one exchange: what the protocol tells the exchange. All calls on the exchange's loop. After
 * {@link ClientStream#end} or {@link ClientStream#abort} nothing is told any more: what is left of the request is thrown away.
 * After a 101 head only the end of both halves, or an abort, has that effect.
 */
public interface ClientStreamListener {

    /** Some of the request's body; the exchange owns the buffer. */
    void onData(ByteBuf data);

    /**
     * The request is complete. Called also for requests without a body. After a 101 head {@link #onData} carries the bytes
     * of the other protocol, and this is called a second time when the client ends its half.
     */
    void onEnd(HeaderBlock trailers);

    /** The client takes data again. */
    void onWritable();

    /** Nobody is left to answer. Nothing follows. */
    void onGone(DisconnectReason why);

    /**
     * The client's message broke off: malformed, or its body stalled. It can still be answered through the {@link ClientStream},
     * then the connection closes. Nothing follows, {@link #onGone} neither.
     *
     * @param why what the client gets when no response has begun
     */
    void onBroken(Refusal why);
}
