package dev.sallyport.core.body;

import dev.sallyport.spi.Body;
import org.jspecify.annotations.Nullable;

/** Remembers the answer to a read. */
final class RecordingRead implements ReadCallback {

    @Nullable Body body;

    @Nullable BodyFailure failure;

    Runnable then = () -> {};

    @Override
    public void ready(Body ready) {
        require();
        body = ready;
        then.run();
    }

    @Override
    public void failed(BodyFailure reason) {
        require();
        failure = reason;
        then.run();
    }

    boolean answered() {
        return body != null || failure != null;
    }

    private void require() {
        if (answered()) {
            throw new AssertionError("a read was answered twice");
        }
    }
}
