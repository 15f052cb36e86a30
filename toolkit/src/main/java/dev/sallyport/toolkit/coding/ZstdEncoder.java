package dev.sallyport.toolkit.coding;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import java.nio.ByteBuffer;

/** {@code zstd} (RFC 8878) through zstd-jni. */
final class ZstdEncoder implements Encoder {

    private static final int LEVEL = 1;

    private final ZstdCompressCtx zstd = new ZstdCompressCtx();
    private boolean pending;
    private boolean closed;

    ZstdEncoder() {
        zstd.setLevel(LEVEL);
        zstd.setChecksum(false);
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        pending |= in.hasRemaining();
        if (in.isDirect()) {
            run(in, EndDirective.CONTINUE, out);
            return;
        }
        ByteBuffer direct = CodecBuffers.take();
        try {
            while (in.hasRemaining()) {
                CodecBuffers.fill(direct, in);
                run(direct, EndDirective.CONTINUE, out);
            }
        } finally {
            CodecBuffers.give(direct);
        }
    }

    @Override
    public void flush(Output out) {
        if (pending) {
            run(CodecBuffers.NOTHING.duplicate(), EndDirective.FLUSH, out);
            pending = false;
        }
    }

    @Override
    public void end(Output out) {
        run(CodecBuffers.NOTHING.duplicate(), EndDirective.END, out);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            zstd.close();
        }
    }

    private void run(ByteBuffer in, EndDirective directive, Output out) {
        ByteBuffer staging = CodecBuffers.take();
        try {
            boolean done = false;
            while (!done) {
                boolean flushed = zstd.compressDirectByteBufferStream(staging.clear(), in, directive);
                done = directive == EndDirective.CONTINUE ? !in.hasRemaining() : flushed;
                if (staging.flip().hasRemaining()) {
                    out.write(staging);
                }
            }
        } finally {
            CodecBuffers.give(staging);
        }
    }
}
