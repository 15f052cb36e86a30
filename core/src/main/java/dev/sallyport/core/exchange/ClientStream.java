package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * The client's side of one exchange, as the exchange calls it. Implemented once for each protocol; all calls on its
 * event loop. After {@link #abort}, or once the client is gone, every call only releases its arguments.
 */
public interface ClientStream {

    /** The loop of the client's connection, and so of the exchange. */
    EventLoop loop();

    /** Sends an interim head (1xx), including 100. HTTP/1.0 clients, which do not know them, get none. */
    void interim(ResponseMessage head);

    /**
     * Sends the head. Its {@code Content-Length} line, if any, is correct; the protocol adds the framing for a body of
     * unknown length and its own connection fields. Other hop-by-hop fields are never sent. A 101 head may be sent only
     * if an upgrade was requested, and turns the connection into a relay of bytes; HTTP/2 sends 200 instead (RFC 8441,
     * 5).
     *
     * @param end whether the message ends with its head
     */
    void head(ResponseMessage head, boolean end);

    /** Sends some of the body; takes ownership of the buffer. */
    void data(ByteBuf data);

    /**
     * Ends the message; the trailer fields may be empty. After a 101 head this ends the half towards the client only:
     * the connection closes when the client, too, has ended its half.
     */
    void end(HeaderBlock trailers);

    /**
     * Whether the transport accepts more without long queues; {@link ClientStreamListener#onWritable} reports changes.
     */
    boolean isWritable();

    /** Returns credit for request bytes that have been forwarded; without it the protocol stops reading. */
    void consumed(int bytes);

    /** Whether the client accepts trailer fields: it has said so, or its protocol does. */
    boolean acceptsTrailers();

    /**
     * Whether trailer fields can follow a body of this length in bytes, negative when unknown. Over HTTP/1.1 they follow
     * chunks, and every client reads past them.
     */
    default boolean mayCarryTrailers(long length) {
        return acceptsTrailers();
    }

    /** Ends the exchange so that the client cannot mistake it for a complete message (HTTP/1.1: close; HTTP/2: reset). */
    void abort();
}
