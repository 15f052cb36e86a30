package dev.sallyport.core.body;

import dev.sallyport.spi.BodyObserver;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Remembers what it saw. */
class RecordingObserver implements BodyObserver {

    final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    int ends;
    boolean complete;

    @Override
    public void data(ByteBuffer bytes) {
        if (ends > 0) {
            throw new IllegalStateException("data after the end");
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        seen.writeBytes(copy);
    }

    @Override
    public void end(boolean isComplete) {
        ends++;
        complete = isComplete;
    }
}
