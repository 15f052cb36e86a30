package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** {@code gzip} or {@code deflate} through the JDK's zlib. */
final class ZlibEncoder implements Encoder {

    private static final byte[] GZIP_HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private final boolean gzip;
    private final Deflater deflater;
    private final CRC32 checksum = new CRC32();
    private boolean started;
    private boolean pending;

    ZlibEncoder(boolean gzip) {
        this.gzip = gzip;
        this.deflater = new Deflater(Deflater.BEST_SPEED, gzip);
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        if (!in.hasRemaining()) {
            return;
        }
        start(out);
        pending = true;
        if (gzip) {
            int position = in.position();
            checksum.update(in);
            in.position(position);
        }
        deflater.setInput(in);
        drain(out, Deflater.NO_FLUSH);
        deflater.setInput(CodecBuffers.NOTHING); // Otherwise it would keep the caller's buffer and read on in it.
    }

    @Override
    public void flush(Output out) {
        if (pending) {
            drain(out, Deflater.SYNC_FLUSH);
            pending = false;
        }
    }

    @Override
    public void end(Output out) {
        start(out);
        deflater.finish();
        drain(out, Deflater.NO_FLUSH);
        if (gzip) {
            ByteBuffer trailer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            out.write(trailer.putInt((int) checksum.getValue())
                    .putInt((int) deflater.getBytesRead())
                    .flip());
        }
    }

    @Override
    public void close() {
        deflater.end();
    }

    private void start(Output out) {
        if (gzip && !started) {
            out.write(ByteBuffer.wrap(GZIP_HEADER).asReadOnlyBuffer());
        }
        started = true;
    }

    private void drain(Output out, int mode) {
        ByteBuffer staging = CodecBuffers.take();
        try {
            boolean full = true;
            while (full) {
                deflater.deflate(staging.clear(), mode);
                full = !staging.hasRemaining();
                if (staging.flip().hasRemaining()) {
                    out.write(staging);
                }
            }
        } finally {
            CodecBuffers.give(staging);
        }
    }
}
