package dev.sallyport.toolkit.coding;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import java.io.IOException;
import java.nio.ByteBuffer;

/** {@code br} (RFC 7932) through brotli4j. */
final class BrotliDecoder implements Decoder {

    private static final int INPUT = 8 * 1024;

    private final DecoderJNI.Wrapper brotli;
    private boolean started;
    private boolean closed;

    BrotliDecoder() {
        try {
            brotli = new DecoderJNI.Wrapper(INPUT);
        } catch (IOException e) {
            throw new IllegalStateException("br: no native decoder", e);
        }
    }

    /** Whether the native library is there for this platform. */
    static boolean available() {
        return Brotli4jLoader.isAvailable();
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        while (in.hasRemaining()) {
            if (brotli.getStatus() == DecoderJNI.Status.DONE) {
                throw CodingException.trailing(Coding.BR);
            }
            started = true;
            ByteBuffer input = brotli.getInputBuffer();
            CodecBuffers.fill(input, in);
            brotli.push(input.remaining());
            drain(out);
        }
    }

    @Override
    public void end(Output out) {
        if (started && brotli.getStatus() != DecoderJNI.Status.DONE) {
            throw CodingException.truncated(Coding.BR);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            brotli.destroy();
        }
    }

    private void drain(Output out) {
        while (true) {
            if (brotli.getStatus() == DecoderJNI.Status.ERROR) {
                throw CodingException.corrupt(Coding.BR, "invalid data, or bytes after its end");
            } else if (brotli.getStatus() == DecoderJNI.Status.OK) {
                brotli.push(0);
            } else if (brotli.hasOutput()) {
                boolean wasFull = brotli.getStatus() == DecoderJNI.Status.NEEDS_MORE_OUTPUT;
                out.write(brotli.pull());
                if (wasFull && brotli.getStatus() == DecoderJNI.Status.NEEDS_MORE_INPUT) {
                    brotli.push(0); // it stopped because its window was full, and may hold some input yet
                }
            } else {
                return;
            }
        }
    }
}
