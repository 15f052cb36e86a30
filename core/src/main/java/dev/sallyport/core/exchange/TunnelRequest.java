package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.TransformId;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.pipeline.TunnelCallbacks;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.GateVerdict;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Trace;
import org.jspecify.annotations.Nullable;

/** A request to open a tunnel. Trace notes go into the tunnel's record, if it has one. */
final class TunnelRequest implements TunnelCallbacks {

    private static final TransformId NONE = new TransformId("", "");

    private final Connection connection;
    private final Destination target;
    private final MutableAuditRecord record;
    private final boolean decisive;
    private TransformId transform = NONE;
    private long askedAt;
    private @Nullable TransformTrace trace;

    TunnelRequest(Connection connection, Destination target, MutableAuditRecord record) {
        this(connection, target, record, false);
    }

    private TunnelRequest(Connection connection, Destination target, MutableAuditRecord record, boolean decisive) {
        this.connection = connection;
        this.target = target;
        this.record = record;
        this.decisive = decisive;
    }

    /** Of a tunnel that is open. What transforms note while they allow it belongs to no record. */
    static TunnelRequest again(String exchangeId, Connection connection, Destination target) {
        return new TunnelRequest(connection, target, new MutableAuditRecord(exchangeId, 0), false);
    }

    /** Of a request that is under way: it is known where it goes. */
    static TunnelRequest inside(String exchangeId, Connection connection, Destination destination) {
        return new TunnelRequest(connection, destination, new MutableAuditRecord(exchangeId, 0), true);
    }

    @Override
    public String exchangeId() {
        return record.exchangeId();
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
    public boolean mayReach(RuleSet rules) {
        return decisive ? rules.reaches(target) : rules.reachesThrough(target);
    }

    @Override
    public Trace trace() {
        return entry();
    }

    @Override
    public void verdict(GateVerdict verdict) {
        record.verdict(transform.name(), verdict);
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
        transform = stage.id();
        askedAt = nanos;
        trace = null;
    }

    @Override
    public void refused(Generation.TunnelRefusal refusal) {
        TransformTrace entry = entry().durationNanos(System.nanoTime() - askedAt);
        if (Refusal.isRejection(refusal.status())) {
            entry.action("reject").annotate("code", refusal.code());
        } else {
            entry.action("error").error(refusal.code());
        }
    }
}
