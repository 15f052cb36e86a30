package dev.sallyport.benchmarks;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;

/** A body outside of the heap, as sockets bring it: in pieces of 16 KiB. */
final class Pieces {

    private static final int PIECE = 16 * 1024;

    private final ByteBuffer body;

    Pieces(byte[] bytes) {
        body = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Counts what comes out. */
    private static final class Count implements BodyRewriter.Sink {

        private long bytes;

        @Override
        public void write(ByteBuffer in) {
            bytes += in.remaining();
        }

        @Override
        public void forward(int index, int length) {
            bytes += length;
        }
    }

    /** Sends the body through a rewriter; returns how many bytes came out. */
    long through(BodyRewriter rewriter) {
        Count out = new Count();
        for (int at = 0; at < body.capacity(); at += PIECE) {
            rewriter.write(body.clear().position(at).limit(Math.min(body.capacity(), at + PIECE)), out);
        }
        rewriter.end(out);
        return out.bytes;
    }
}
