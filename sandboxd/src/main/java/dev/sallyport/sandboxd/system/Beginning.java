package dev.sallyport.sandboxd.system;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a program writes, read without waiting for it, of which the beginning is kept. A thread that waits for a pipe which
 * somebody holds would not come back, and keeps the pipe from being closed. For one thread.
 */
final class Beginning {

    /** Read at a time at most, so that one who writes without end holds nobody up. */
    private static final int MOST_READS = 64;

    private final InputStream stream;
    private final int most;
    private final byte[] buffer = new byte[16_384];
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    /** @param most how many bytes are kept; the rest is dropped */
    Beginning(InputStream stream, int most) {
        this.stream = stream;
        this.most = most;
    }

    /** Reads what is there. */
    void take() throws IOException {
        for (int i = 0; i < MOST_READS; i++) {
            int there = Math.min(stream.available(), buffer.length);
            int read = there == 0 ? 0 : stream.read(buffer, 0, there);
            if (read <= 0) {
                return;
            }
            kept.write(buffer, 0, Math.min(read, most - kept.size()));
        }
    }

    byte[] bytes() {
        return kept.toByteArray();
    }

    String text() {
        return kept.toString(StandardCharsets.UTF_8);
    }
}
