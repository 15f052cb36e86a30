package dev.sallyport.core.audit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A destination for records. Called by one thread only, which it may block. */
public interface AuditSink extends Closeable {

    /**
     * Writes complete lines. Advances the buffer's position over what has been written, also when it throws: the rest
     * is offered again later, so that no line is lost or written twice. One call need not write everything.
     */
    void write(ByteBuffer lines) throws IOException;

    /**
     * Takes the records of the lines that have been written, for a sink that makes something else of them. When it throws,
     * the same records are offered again later: how many of them it has taken, it knows itself. Must not keep them.
     */
    default void take(List<AuditRecord> records) throws IOException {}

    /** Passes on what is still buffered. Called after each batch, before its slots are returned. */
    void flush() throws IOException;
}
