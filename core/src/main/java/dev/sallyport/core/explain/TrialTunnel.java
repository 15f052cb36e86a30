package dev.sallyport.core.explain;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.pipeline.TunnelCallbacks;
import dev.sallyport.core.pipeline.UnbuiltTransform;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.List;

/** The opening of a tunnel, as the transforms are asked about it. Confined to the loop. */
final class TrialTunnel implements TunnelCallbacks {

    private final TrialRecord record;
    private final Connection connection;
    private final Destination target;
    private final List<Stage> asked = new ArrayList<>();
    private Trace trace;

    TrialTunnel(TrialRecord record, Connection connection, Destination target) {
        this.record = record;
        this.connection = connection;
        this.target = target;
        this.trace = record.audit().requestTrace("");
        record.audit().forgetRequestTraces(0);
    }

    /** The transforms that were asked, in order. */
    List<Stage> asked() {
        return asked;
    }

    @Override
    public String exchangeId() {
        return record.audit().exchangeId();
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
        return trace;
    }

    @Override
    public void asking(Stage stage, long nanos) {
        asked.add(stage);
        trace = record.audit().requestTrace(stage.name());
    }

    @Override
    public void refused(Generation.TunnelRefusal refusal) {
        if (isOpen(refusal)) {
            record.mark("undecidable");
        } else if (Refusal.isRejection(refusal.status())) {
            record.mark("reject");
            trace.annotate("code", refusal.code());
        } else {
            record.mark("error");
        }
    }

    /** Whether nobody knows what the transform would have said. */
    static boolean isOpen(Generation.TunnelRefusal refusal) {
        return refusal.stage().unbuilt() != null && refusal.code().equals(UnbuiltTransform.CODE);
    }
}
