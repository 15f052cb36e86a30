package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** What the bytes of one direction go through. Confined to the exchange's loop. */
public interface Transit {

    /**
     * Takes bytes as they arrive, and their ownership, also when it throws.
     *
     * @param out takes what goes on, and its ownership
     * @throws MessageFault when what has arrived must not go on
     */
    void pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageFault;

    /** Whether a close frame has gone through whole: its sender has nothing more to say (RFC 6455, 5.5.1). */
    boolean sawClose();

    /** Whether what has gone through ends with a whole frame, so that another may follow. */
    boolean betweenFrames();

    /** Releases what is held. Idempotent. */
    void close();
}
