package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.ChainHead;
import dev.sallyport.core.audit.LateAuditSinks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners and sinks of companions. Thread-safe. */
final class EngineAuditTaps implements AuditTaps, AuditListener {

    private static final Logger LOG = LoggerFactory.getLogger(EngineAuditTaps.class);

    private final List<AuditListener> listeners = new CopyOnWriteArrayList<>();
    private final LateAuditSinks sinks = new LateAuditSinks();
    private volatile @Nullable AuditGate gate;
    private volatile @Nullable Path chained;

    /** What is written to the sinks that are added. */
    LateAuditSinks sinks() {
        return sinks;
    }

    @Override
    public void sink(AuditSink sink) {
        sinks.add(sink);
    }

    /** The gate that {@link #hold} closes. */
    void gate(AuditGate newGate) {
        gate = newGate;
    }

    /** The audit file, where it has a chain. */
    void chain(@Nullable Path file) {
        chained = file;
    }

    @Override
    public @Nullable ChainHead head() throws IOException {
        Path file = chained;
        return file == null ? null : ChainHead.of(file);
    }

    @Override
    public int slots() {
        return present().capacity();
    }

    @Override
    public Runnable hold() {
        return present().hold();
    }

    @Override
    public Runnable hold(String organization) {
        return present().hold(organization);
    }

    private AuditGate present() {
        AuditGate present = gate;
        if (present == null) {
            throw new IllegalStateException(
                    "nothing can be held back yet (expected: later than the start of the proxy)");
        }
        return present;
    }

    @Override
    public Runnable listen(AuditListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void written(AuditRecord record, ByteBuffer line) {
        for (AuditListener listener : listeners) {
            try {
                listener.written(record, line.duplicate());
            } catch (RuntimeException e) {
                LOG.warn("audit: a listener of a companion failed", e);
            }
        }
    }

    @Override
    public String toString() {
        return "EngineAuditTaps[" + listeners.size() + "]";
    }
}
