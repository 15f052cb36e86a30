package dev.sallyport.toolkit.coding;

import com.aayushatharva.brotli4j.encoder.Encoder.Mode;
import com.aayushatharva.brotli4j.encoder.EncoderJNI;
import com.aayushatharva.brotli4j.encoder.EncoderJNI.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;

/** {@code br} (RFC 7932) through brotli4j. */
final class BrotliEncoder implements Encoder {

    private static final int INPUT = 8 * 1024;
    private static final int QUALITY = 3;
    private static final int WINDOW_LOG = 18;

    private final EncoderJNI.Wrapper brotli;
    private boolean pending;
    private boolean closed;

    BrotliEncoder() {
        try {
            brotli = new EncoderJNI.Wrapper(INPUT, QUALITY, WINDOW_LOG, Mode.GENERIC);
        } catch (IOException e) {
            throw new IllegalStateException("br: no native encoder", e);
        }
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        while (in.hasRemaining()) {
            pending = true;
            ByteBuffer input = brotli.getInputBuffer();
            CodecBuffers.fill(input, in);
            run(Operation.PROCESS, input.remaining(), out);
        }
    }

    @Override
    public void flush(Output out) {
        if (pending) {
            run(Operation.FLUSH, 0, out);
            pending = false;
        }
    }

    @Override
    public void end(Output out) {
        run(Operation.FINISH, 0, out);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            brotli.destroy();
        }
    }

    private void run(Operation operation, int length, Output out) {
        brotli.push(operation, length);
        while (true) {
            if (!brotli.isSuccess()) {
                throw new IllegalStateException("br: the native encoder failed");
            } else if (brotli.hasMoreOutput()) {
                out.write(brotli.pull());
            } else if (brotli.hasRemainingInput()) {
                brotli.push(operation, 0);
            } else {
                return;
            }
        }
    }
}
