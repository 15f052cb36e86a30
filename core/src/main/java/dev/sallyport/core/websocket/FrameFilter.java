package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Filters the bytes of one direction of a relay. Confined to the exchange's loop. */
public interface FrameFilter {

    /**
     * Takes bytes as they arrive. Takes ownership of them, also when it throws.
     *
     * @param out receives what passes, and its ownership
     * @return what is left, and its ownership, to be passed again once the receiver has room; null when nothing is
     * @throws MessageException when what has arrived must not pass
     */
    @Nullable ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageException;

    /**
     * The sender has ended its half, and all that it sent has been passed: what was held back follows.
     *
     * @param out as of {@link #pass}
     */
    default void flush(Consumer<ByteBuf> out) throws MessageException {}

    /** What has passed so far is no longer held: the receiver has room again. */
    void taken();

    /** Whether a close frame has passed whole: its sender sends nothing more (RFC 6455, 5.5.1). */
    boolean sawClose();

    /** Whether what has passed ends with a whole frame, so that another may follow. */
    boolean betweenFrames();

    /** Releases what is held. Idempotent. */
    void close();
}
