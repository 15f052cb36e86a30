package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.upstream.Upstreams;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;

/**
 * The services that exchanges use. One for each proxy.
 *
 * @param settings the limits for exchanges that begin now
 * @param mode {@code mitm} or {@code sni-only}, for the audit record
 * @param settling makes long-lasting exchanges return their slots
 * @param hint logs clients that do not trust the proxy
 */
public record ExchangeServices(
        Pipeline pipeline,
        Upstreams upstreams,
        AuditGate gate,
        AuditWriter audit,
        BodyBudget budget,
        RedactionRegistry redactions,
        Supplier<ExchangeSettings> settings,
        ExchangeIds ids,
        Supplier<LocalSite> site,
        String mode,
        AuditSlotReclaimer settling,
        TrustHint hint) {

    /**
     * Writes the record of an exchange without a slot, as soon as a slot is free. Only tunnels, relays and long-lasting
     * exchanges have such records.
     */
    void offerLater(EventLoop loop, AuditRecord record) {
        AuditSlot slot = gate.tryAcquire();
        if (slot == null) {
            gate.whenAvailable(null, loop, () -> offerLater(loop, record));
        } else {
            audit.offer(slot, record);
        }
    }

    /** Fills a record for a connection that ended before an exchange began. */
    void ended(AuditRecord record, ConnectionInfo connection, EarlyTermination ended) {
        Refusal why = ended.refusal();
        record.action(ended.action()).statusCode(why.status()).error(why.code() + ": " + why.detail());
        endedUntold(record, connection, ended);
    }

    /** As {@link #ended}, for a record that already holds the outcome and its cause. */
    void endedUntold(AuditRecord record, ConnectionInfo connection, EarlyTermination ended) {
        record.endedBeforeRequest(ended.refusal().code(), ended.alert());
        String sni = connection.sni();
        String target = connection.tunnelTarget();
        hint.ended(connection.peer(), sni != null ? sni : target != null ? target : "", ended);
    }
}
