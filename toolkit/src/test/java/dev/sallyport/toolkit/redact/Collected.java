package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A sink that keeps what it gets, and counts what came without being copied. */
final class Collected implements BodyRewriter.Sink {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private ByteBuffer current = ByteBuffer.allocate(0);
    private int forwarded;

    /** Feeds one piece. */
    Collected feed(BodyRewriter rewriter, ByteBuffer in) {
        current = in.duplicate();
        rewriter.write(in, this);
        current = ByteBuffer.allocate(0);
        return this;
    }

    Collected feed(BodyRewriter rewriter, String text) {
        return feed(rewriter, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void write(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }

    @Override
    public void forward(int index, int length) {
        byte[] copy = new byte[length];
        current.get(index, copy);
        out.writeBytes(copy);
        forwarded += length;
    }

    int forwarded() {
        return forwarded;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    String text() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
