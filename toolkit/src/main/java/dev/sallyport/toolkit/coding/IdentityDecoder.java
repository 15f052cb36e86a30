package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** No coding at all. */
final class IdentityDecoder implements Decoder {

    @Override
    public void write(ByteBuffer in, Output out) {
        if (in.hasRemaining()) {
            out.write(in.duplicate());
            in.position(in.limit());
        }
    }

    @Override
    public void end(Output out) {}

    @Override
    public void close() {}
}
