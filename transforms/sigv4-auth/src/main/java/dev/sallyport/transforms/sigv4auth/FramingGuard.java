package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Passes an {@code aws-chunked} content without signatures on as it is, as long as its framing is right. */
final class FramingGuard implements BodyRewriter, ChunkFraming.Parts {

    private final DecodedLength decoded;
    private final ChunkFraming framing = new ChunkFraming(this, true);
    private long missing = Long.MAX_VALUE;

    FramingGuard(DecodedLength decoded) {
        this.decoded = decoded;
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        missing = in.orElse(Long.MAX_VALUE);
        return in;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        framing.take(in.duplicate());
        missing -= in.remaining();
        if (missing == 0) {
            framing.requireDone();
        }
        out.forward(in.position(), in.remaining());
        in.position(in.limit());
    }

    @Override
    public void end(Sink out) {
        framing.requireDone();
    }

    @Override
    public boolean preserves() {
        return true;
    }

    @Override
    public boolean changed() {
        return false;
    }

    @Override
    public void chunk(String line, long size, String extension) {
        if (!extension.isEmpty()) {
            throw Refusals.framing("a chunk with an extension that was not announced");
        }
        decoded.add(size);
        if (size == 0) {
            decoded.requireAll();
        }
    }

    @Override
    public void data(ByteBuffer bytes) {
        // Only the framing counts.
    }

    @Override
    public void chunkEnd() {
        // Only the framing counts.
    }

    @Override
    public void field(String line) {
        if (line.indexOf(':') <= 0) {
            throw Refusals.framing("the trailer is not a list of fields");
        }
    }

    @Override
    public void end() {
        // Known to the framing.
    }
}
