package dev.sallyport.core.body;

import dev.sallyport.spi.BodyCheck;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Agrees to everything, and remembers what it saw. */
class RecordingCheck implements BodyCheck {

    final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    int ends;

    @Override
    public void data(ByteBuffer bytes) {
        if (ends > 0) {
            throw new IllegalStateException("data after the end");
        }
        if (!bytes.isReadOnly()) {
            throw new IllegalStateException("a view that can be written to");
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        seen.writeBytes(copy);
    }

    @Override
    public void end() {
        ends++;
    }

    String text() {
        return TestRewriters.text(seen.toByteArray());
    }
}
