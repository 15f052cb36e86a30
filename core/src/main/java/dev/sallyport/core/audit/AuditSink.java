package dev.sallyport.core.audit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Where records go. Called by one thread only, which may block in it. */
public interface AuditSink extends Closeable {

    /**
     * Writes complete lines. Advances the buffer's position over what has been written, also when it throws: the rest is
     * offered again later, so that no line is lost and none is there twice. Not everything need be written in one call.
     */
    void write(ByteBuffer lines) throws IOException;

    /** Hands on what is still held back. Called after each batch, before its slots return. */
    void flush() throws IOException;
}
