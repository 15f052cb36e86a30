package dev.sallyport.toolkit.scan;

import dev.sallyport.spi.BodyRewriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A sink that keeps what it gets, and counts what came without being copied. */
public final class Collected implements BodyRewriter.Sink {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private ByteBuffer current = ByteBuffer.allocate(0);
    private int forwarded;

    /** An empty one. */
    public Collected() {}

    /** Feeds one piece. */
    public Collected feed(BodyRewriter rewriter, ByteBuffer in) {
        current = in.duplicate();
        rewriter.write(in, this);
        current = ByteBuffer.allocate(0);
        return this;
    }

    /** Feeds a text as one piece. */
    public Collected feed(BodyRewriter rewriter, String text) {
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

    /** How many bytes came without being copied. */
    public int forwarded() {
        return forwarded;
    }

    /** All bytes so far. */
    public byte[] bytes() {
        return out.toByteArray();
    }

    /** The same as text. */
    public String text() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
