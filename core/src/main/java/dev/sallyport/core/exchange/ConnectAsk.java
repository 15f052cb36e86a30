package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Trace;
import org.jspecify.annotations.Nullable;

/** A tunnel that is asked for. Its notes are kept in the tunnel's own record, should there be one. */
final class ConnectAsk implements ConnectContext {

    private final String exchangeId;
    private final Connection connection;
    private final Destination target;
    private final AuditRecord record;
    private @Nullable TransformTrace trace;

    ConnectAsk(String exchangeId, Connection connection, Destination target, AuditRecord record) {
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
        TransformTrace present = trace;
        if (present == null) {
            present = record.requestTrace("connect");
            trace = present;
        }
        return present;
    }
}
