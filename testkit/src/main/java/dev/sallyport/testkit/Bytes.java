package dev.sallyport.testkit;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;

/** Moves bytes out of buffers. */
final class Bytes {

    private Bytes() {}

    /** Appends what is readable and releases the buffer. */
    static void drain(ByteBuf from, ByteArrayOutputStream to) {
        byte[] bytes = new byte[from.readableBytes()];
        from.readBytes(bytes);
        from.release();
        to.writeBytes(bytes);
    }
}
