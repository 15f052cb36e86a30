package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/** The client's side of one exchange: what the protocol tells the exchange. All calls on the exchange's loop. */
public interface Upload {

    /** Some of the request's body; the exchange owns the buffer. */
    void onData(ByteBuf data);

    /** The request is complete. Called also for requests without a body. */
    void onEnd(HeaderBlock trailers);

    /** The client takes data again. */
    void onWritable();

    /**
     * The client is gone, or its message broke off.
     *
     * @param malformed what was wrong with the message; empty when the connection just closed
     */
    void onGone(String malformed);
}
