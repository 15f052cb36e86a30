package dev.sallyport.core.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Text that leaves again and again; each time as a {@link ByteBuf#duplicate}. */
final class ConstantText {

    private ConstantText() {}

    static ByteBuf of(String ascii) {
        byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        return Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    }
}
