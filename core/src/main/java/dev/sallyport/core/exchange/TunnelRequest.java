package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.pipeline.TunnelCallbacks;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Trace;
import org.jspecify.annotations.Nullable;

/** A request to open a tunnel. Trace notes go into the tunnel's record, if it has one. */
final class TunnelRequest implements TunnelCallbacks {

    private final String exchangeId;
    private final Connection connection;
    private final Destination target;
    private final AuditRecord record;
    private String transform = "";
    private long askedAt;
    private @Nullable TransformTrace trace;

    TunnelRequest(String exchangeId, Connection connection, Destination target, AuditRecord record) {
        this.exchangeId = exchangeId;
        this.connection = connection;
        this.target = target;
        this.record = record;
    }

    @Override
    public String exchangeId() {
        return exchangeId;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public Destination target() {
        return target;
    }

    @Override
    public Trace trace() {
        return entry();
    }

    private TransformTrace entry() {
        TransformTrace present = trace;
        if (present == null) {
            present = record.requestTrace(transform);
            trace = present;
        }
        return present;
    }

    @Override
    public void asking(Stage stage, long nanos) {
        transform = stage.name();
        askedAt = nanos;
        trace = null;
    }

    @Override
    public void refused(Generation.TunnelRefusal refusal) {
        TransformTrace entry = entry().durationNanos(System.nanoTime() - askedAt);
        if (refusal.status() < 500) {
            entry.action("reject").annotate("code", refusal.code());
        } else {
            entry.action("error").error(refusal.code());
        }
    }
}
