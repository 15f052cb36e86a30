package dev.sallyport.toolkit.coding;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import java.nio.ByteBuffer;

/** {@code zstd} (RFC 8878) through zstd-jni: any number of frames, with the window limit of RFC 9659. */
final class ZstdDecoder implements Decoder {

    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
    private final ZstdFrameHeader header = new ZstdFrameHeader();
    private boolean inFrame;
    private boolean skippable;
    private boolean closed;

    /** Whether the native library is there for this platform. */
    static boolean available() {
        try {
            Native.load();
            return Native.isLoaded();
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError e) {
            return false;
        }
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        ByteBuffer staging = CodecBuffers.take();
        try {
            while (in.hasRemaining()) {
                if (inFrame) {
                    frame(in, staging, out);
                } else if (header.take(in)) {
                    inFrame = true;
                    skippable |= header.isSkippable();
                    frame(header.bytes(), staging, out);
                }
            }
        } catch (ZstdException e) {
            throw CodingException.corrupt(Coding.ZSTD, "invalid data", e);
        } finally {
            CodecBuffers.give(staging);
        }
    }

    @Override
    public void end(Output out) {
        if (inFrame) {
            throw CodingException.truncated(Coding.ZSTD);
        } else if (!header.isEmpty()) {
            throw header.incomplete();
        }
    }

    @Override
    public boolean hasFreeText() {
        return skippable;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            zstd.close();
        }
    }

    private void frame(ByteBuffer in, ByteBuffer staging, Output out) {
        if (in.isDirect()) {
            decompress(in, staging, out);
            return;
        }
        ByteBuffer direct = CodecBuffers.take();
        try {
            while (inFrame && in.hasRemaining()) {
                int position = in.position();
                CodecBuffers.fill(direct, in);
                decompress(direct, staging, out);
                in.position(position + direct.position());
            }
        } finally {
            CodecBuffers.give(direct);
        }
    }

    /** Decodes up to the end of the frame or of the input. */
    private void decompress(ByteBuffer in, ByteBuffer staging, Output out) {
        boolean full = true;
        while (inFrame && (full || in.hasRemaining())) {
            inFrame = !zstd.decompressDirectByteBufferStream(staging.clear(), in);
            full = !staging.hasRemaining();
            if (staging.flip().hasRemaining()) {
                out.write(staging);
            }
        }
        if (!inFrame) {
            header.next();
        }
    }
}
