package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyCheck;
import java.nio.ByteBuffer;

/** Refuses an {@code aws-chunked} content without signatures that is not framed as it should be. */
final class FramingGuard implements BodyCheck {

    private final ChunkFraming framing;

    FramingGuard(DecodedLength decoded) {
        framing = new ChunkFraming(new Rules(decoded), true);
    }

    @Override
    public void data(ByteBuffer bytes) {
        framing.take(bytes);
    }

    @Override
    public void end() {
        framing.requireDone();
    }

    /** Only the framing matters, not the data. */
    private record Rules(DecodedLength decoded) implements ChunkFraming.Parts {

        @Override
        public void chunk(String line, long size, String extension) {
            if (!extension.isEmpty()) {
                throw Refusals.framing("a chunk has an extension that was not announced");
            }
            decoded.add(size);
            if (size == 0) {
                decoded.requireAll();
            }
        }

        @Override
        public void data(ByteBuffer bytes) {}

        @Override
        public void chunkEnd() {}

        @Override
        public void field(String line) {
            if (line.indexOf(':') <= 0) {
                throw Refusals.framing("the trailer is not a list of fields");
            }
        }

        @Override
        public void end() {}
    }
}
