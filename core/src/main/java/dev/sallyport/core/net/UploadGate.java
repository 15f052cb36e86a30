package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Gone;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.exchange.Upload;
import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What lies between a client's message and its exchange: nothing is passed on before the exchange has begun, or after it needs
 * no more, and that the message came to no good end is told once. On the connection's loop.
 */
final class UploadGate {

    private @Nullable Upload upload;
    private boolean begun;
    private boolean shut;

    /** The exchange has begun. */
    void open(Upload exchange) {
        begun = true;
        upload = shut ? null : exchange;
    }

    /** Whether the exchange has begun, even if it needs no more since. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether what comes is passed on. */
    boolean isOpen() {
        return upload != null && !shut;
    }

    /** Whether nothing will be passed on any more. */
    boolean isShut() {
        return shut;
    }

    /** No more is needed, and nothing is held any longer. */
    void shut() {
        shut = true;
        upload = null;
    }

    /** Owns the buffer. */
    void data(ByteBuf data) {
        Upload to = passing();
        if (to == null) {
            data.release();
        } else {
            to.onData(data);
        }
    }

    void end(HeaderBlock trailers) {
        Upload to = passing();
        if (to != null) {
            to.onEnd(trailers);
        }
    }

    void writable() {
        Upload to = passing();
        if (to != null) {
            to.onWritable();
        }
    }

    /** The message broke off. */
    void broken(Refusal why) {
        Upload to = passing();
        shut();
        if (to != null) {
            to.onBroken(why);
        }
    }

    /** Nobody is left to answer. */
    void gone(Gone why) {
        Upload to = passing();
        shut();
        if (to != null) {
            to.onGone(why);
        }
    }

    private @Nullable Upload passing() {
        return shut ? null : upload;
    }
}
