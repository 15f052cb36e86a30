package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;

/** What stands behind a stage. */
interface ChainOutput {

    /** Takes some bytes and their ownership, also when it throws. */
    void write(ByteBuf in);

    /** Takes the end. */
    void end();

    /** Everything written so far is to reach the receiver without waiting for more. */
    void flush();
}
