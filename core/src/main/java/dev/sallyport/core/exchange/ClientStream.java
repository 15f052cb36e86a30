package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * The client's side of one exchange: what the exchange tells it. Implemented once for each protocol; all calls on its
 * event loop. After {@link #abort} or once the client is gone every call is a no-op that releases what it was given.
 */
public interface ClientStream {

    /** The loop of the client's connection, and so of the exchange. */
    EventLoop loop();

    /** Sends an interim head (1xx), 100 included. Clients that do not know them (HTTP/1.0) get none. */
    void interim(ResponseMessage head);

    /**
     * Sends the head. Its {@code Content-Length} line, where there is one, is right; the protocol adds what it needs for
     * a body of unknown length. Hop-by-hop fields are never sent; what the connection says of itself the protocol adds. A
     * 101 head may be sent only when an upgrade was asked for, and turns the connection into a relay of bytes; HTTP/2
     * says 200 in its place (RFC 8441, 5).
     *
     * @param end whether the message ends with its head
     */
    void head(ResponseMessage head, boolean end);

    /** Sends some of the body; takes ownership of the buffer. */
    void data(ByteBuf data);

    /**
     * Ends the message; the trailer fields may be empty. After a 101 head this ends the half towards the client only: the
     * connection closes when the client, too, has ended its half.
     */
    void end(HeaderBlock trailers);

    /** Whether the transport takes more without queueing much; {@link ClientStreamListener#onWritable} tells of changes. */
    boolean isWritable();

    /** Gives back credit for request bytes that have been passed on; without it the protocol stops reading. */
    void consumed(int bytes);

    /** Whether the client accepts trailer fields. */
    boolean acceptsTrailers();

    /** Ends the exchange so that the client cannot mistake it for a complete message (HTTP/1.1: close; HTTP/2: reset). */
    void abort();
}
