package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** {@code deflate}: zlib (RFC 1950), or bare deflate data (RFC 1951) when the first two bytes are no zlib header. */
final class DeflateDecoder implements Decoder {

    private final byte[] header = new byte[2];
    private int headerLength;
    private @Nullable InflateStream stream;
    private boolean finished;

    @Override
    public void write(ByteBuffer in, Output out) {
        while (in.hasRemaining()) {
            if (finished) {
                throw CodingException.trailing(Coding.DEFLATE);
            } else if (stream != null) {
                finished = stream.write(in, out);
            } else {
                header[headerLength++] = in.get();
                if (headerLength == header.length) {
                    start(out);
                }
            }
        }
    }

    @Override
    public void end(Output out) {
        if (headerLength > 0 && !finished) {
            throw CodingException.truncated(Coding.DEFLATE);
        }
    }

    @Override
    public void close() {
        if (stream != null) {
            stream.close();
        }
    }

    private void start(Output out) {
        int first = header[0] & 0xff;
        int second = header[1] & 0xff;
        boolean zlib = (first & 0x0f) == 8 && (first << 8 | second) % 31 == 0;
        stream = new InflateStream(Coding.DEFLATE, !zlib, null);
        ByteBuffer start = ByteBuffer.wrap(header);
        finished = stream.write(start, out);
        if (start.hasRemaining()) {
            throw CodingException.trailing(Coding.DEFLATE);
        }
    }
}
