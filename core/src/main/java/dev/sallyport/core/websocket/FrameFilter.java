package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the bytes of one direction go through. Confined to the exchange's loop. */
public interface FrameFilter {

    /**
     * Takes bytes as they arrive, and their ownership, also when it throws.
     *
     * @param out takes what goes on, and its ownership
     * @return what is left, and its ownership, to be passed again once the receiver has room; null when it was all
     * @throws MessageFault when what has arrived must not go on
     */
    @Nullable ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageException;

    /** What has gone on so far is no longer held: the receiver has room again. */
    void taken();

    /** Whether a close frame has gone through whole: its sender has nothing more to say (RFC 6455, 5.5.1). */
    boolean sawClose();

    /** Whether what has gone through ends with a whole frame, so that another may follow. */
    boolean betweenFrames();

    /** Releases what is held. Idempotent. */
    void close();
}
