package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/**
 * The client's side of one exchange: what the protocol tells the exchange. All calls on the exchange's loop. After
 * {@link Downstream#end} or {@link Downstream#abort} nothing is told any more: what is left of the request is thrown away.
 * After a 101 head only the end of both halves, or an abort, has that effect.
 */
public interface Upload {

    /** Some of the request's body; the exchange owns the buffer. */
    void onData(ByteBuf data);

    /**
     * The request is complete. Called also for requests without a body. After a 101 head {@link #onData} carries the bytes
     * of the other protocol, and this is called a second time when the client ends its half.
     */
    void onEnd(HeaderBlock trailers);

    /** The client takes data again. */
    void onWritable();

    /**
     * The client is gone, or its message broke off. Called at most once; nothing follows. A message that broke off can still
     * be answered through the {@link Downstream}; then the connection closes.
     *
     * @param malformed what was wrong with the message; empty when the connection just closed
     */
    void onGone(String malformed);
}
