package dev.sallyport.core.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sinks that are added after the writer has begun, until {@link #seal}; what was written before goes to none of them.
 * Adding is thread-safe.
 */
public final class LateAuditSinks implements AuditSink {

    private final List<AuditSink> added = new ArrayList<>();
    private boolean sealed;

    /** All that were added so far. */
    private volatile AuditSink all = AuditSinks.none();

    // For the writer's thread.
    /** The sinks at the beginning of the batch that is being written. */
    private AuditSink current = all;

    private boolean begun;

    /** Adds a sink, which gets the next batch, and is closed with this. */
    public synchronized void add(AuditSink sink) {
        if (sealed) {
            throw new IllegalStateException(
                    "a sink for audit records that comes too late (expected: while companions are" + " made)");
        }
        added.add(sink);
        all = AuditSinks.all(added);
    }

    /** No more are added. */
    public synchronized void seal() {
        sealed = true;
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        if (!begun) {
            begun = true;
            current = all;
        }
        current.write(lines);
    }

    @Override
    public void take(List<AuditRecord> records) throws IOException {
        current.take(records);
    }

    @Override
    public void flush() throws IOException {
        current.flush();
        begun = false;
    }

    @Override
    public void close() throws IOException {
        all.close();
    }

    @Override
    public synchronized String toString() {
        return "LateAuditSinks[" + added.size() + "]";
    }
}
