package dev.sallyport.core.net.connection;

import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The gate between a client's message and its exchange: it passes nothing on before the exchange has begun or after it
 * needs no more, and reports a broken message once. On the connection's loop.
 */
public final class RequestGate {

    private @Nullable ClientStreamListener upload;
    private boolean begun;
    private boolean shut;

    /** The exchange has begun. */
    public void open(ClientStreamListener exchange) {
        begun = true;
        upload = shut ? null : exchange;
    }

    /** Whether the exchange has begun, even if it needs no more since. */
    public boolean hasBegun() {
        return begun;
    }

    /** Whether the gate passes data on. */
    public boolean isOpen() {
        return upload != null && !shut;
    }

    /** Whether the gate has closed for good. */
    public boolean isShut() {
        return shut;
    }

    /** Closes the gate for good and releases what is held. */
    public void shut() {
        shut = true;
        upload = null;
    }

    /** Owns the buffer. */
    public void data(ByteBuf data) {
        ClientStreamListener to = passing();
        if (to == null) {
            data.release();
        } else {
            to.onData(data);
        }
    }

    public void end(HeaderBlock trailers) {
        ClientStreamListener to = passing();
        if (to != null) {
            to.onEnd(trailers);
        }
    }

    public void writable() {
        ClientStreamListener to = passing();
        if (to != null) {
            to.onWritable();
        }
    }

    /** The message was cut off. */
    public void broken(Refusal why) {
        ClientStreamListener to = passing();
        shut();
        if (to != null) {
            to.onBroken(why);
        }
    }

    /** The client is gone. */
    public void gone(DisconnectReason why) {
        ClientStreamListener to = passing();
        shut();
        if (to != null) {
            to.onGone(why);
        }
    }

    private @Nullable ClientStreamListener passing() {
        return shut ? null : upload;
    }
}
