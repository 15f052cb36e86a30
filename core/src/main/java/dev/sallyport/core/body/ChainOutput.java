package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;

/** The next link behind a stage. */
interface ChainOutput {

    /** Accepts some bytes and their ownership, even when it throws. */
    void write(ByteBuf in);

    /** Accepts the end. */
    void end();

    /** Flushes everything written so far to the receiver. */
    void flush();
}
