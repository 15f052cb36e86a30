package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.upstream.Upstreams;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;

/**
 * What exchanges work with. One for each proxy.
 *
 * @param settings the limits for exchanges that begin now
 * @param mode {@code mitm} or {@code sni-only}, for the audit record
 */
public record ExchangeServices(
        Pipeline pipeline,
        Upstreams upstreams,
        AuditGate gate,
        AuditWriter audit,
        BodyBudget budget,
        Supplier<ExchangeSettings> settings,
        ExchangeIds ids,
        Supplier<LocalSite> site,
        String mode) {

    /**
     * Writes a record whose exchange holds no permit, as soon as there is one. There are never more of those than
     * connections.
     */
    void offerLater(EventLoop loop, AuditRecord record) {
        if (gate.tryAcquire()) {
            audit.offer(record);
        } else {
            gate.whenAvailable(loop, () -> offerLater(loop, record));
        }
    }
}
