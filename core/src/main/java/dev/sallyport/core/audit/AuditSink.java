package dev.sallyport.core.audit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A destination for records. Called by one thread only, which it may block. */
public interface AuditSink extends Closeable {

    /**
     * Writes complete lines. Advances the buffer's position over what has been written, also when it throws: the rest
     * is offered again later, so that no line is lost or written twice. One call need not write everything.
     */
    void write(ByteBuffer lines) throws IOException;

    /** Passes on what is still buffered. Called after each batch, before its slots are returned. */
    void flush() throws IOException;
}
