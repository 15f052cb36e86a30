package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import io.netty.buffer.ByteBuf;

/**
 * The sending half of one exchange with an origin. All calls are made on the stream's event loop. After {@link #abort}
 * or a failure every call only releases its arguments.
 */
public interface UpstreamStream {

    /** The end of its connection. */
    OriginEndpoint endpoint();

    /** {@code http/1.1} or {@code h2}. */
    String protocol();

    /** Whether the connection has served another exchange before. */
    boolean reused();

    /** Replaces the listener; the previous one receives no more calls. */
    void listener(UpstreamListener next);

    /**
     * Sends the head. The head's {@code Content-Length} line, if any, is correct; the stream adds what its
     * protocol needs for a body of unknown length. A body that turns out longer or shorter than its declared length
     * fails the exchange.
     *
     * @param end whether the message ends with its head
     */
    void head(RequestMessage head, boolean end);

    /** Sends a part of the body; takes ownership of the buffer. */
    void data(ByteBuf data);

    /** Ends the message; the trailer fields may be empty. HTTP/1.1 drops them when the body has a declared length. */
    void end(HeaderBlock trailers);

    /** Whether the transport accepts more without long queues; {@link UpstreamListener#onWritable} reports changes. */
    boolean isWritable();

    /**
     * Returns credit for response bytes that have been forwarded; without credit the stream stops reading. When the
     * origin closes, the bytes that the kernel holds are read regardless of credit.
     */
    void consumed(int bytes);

    /** Gives the exchange up: resets the connection (HTTP/1.1) or stream (HTTP/2) unless it is complete. */
    void abort();
}
