package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.audit.MutableAuditRecord;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of exchanges go: the gate that bounds them, the writer that takes them, and the reclaimer that takes
 * slots back from long-lasting exchanges. One for each proxy.
 *
 * @param mode {@code mitm} or {@code sni-only}, for the records
 */
public record AuditTrail(
        AuditGate gate, AuditWriter writer, AuditSlotReclaimer reclaimer, TrustHint hint, String mode) {

    /** The trail of a proxy that starts now. */
    public AuditTrail(AuditGate gate, AuditWriter writer, String mode) {
        this(gate, writer, new AuditSlotReclaimer(), new TrustHint(), mode);
    }

    /**
     * Writes a finished record. One whose slot has been returned waits for another: only tunnels, relays and
     * long-lasting exchanges have such records, of which there are never more than connections.
     *
     * @param slot the record's slot, or null
     */
    void offer(@Nullable AuditSlot slot, EventLoop loop, MutableAuditRecord record) {
        if (slot != null) {
            writer.offer(slot, record);
            return;
        }
        AuditSlot free = gate.tryAcquire();
        if (free == null) {
            gate.whenAvailable(null, loop, () -> offer(null, loop, record));
        } else {
            writer.offer(free, record);
        }
    }

    /** Returns the slot of an exchange that may now last for hours; its record stays in the table of those in flight. */
    void giveBack(AuditSlot slot, MutableAuditRecord record) {
        writer.lasts(record);
        slot.giveBack();
    }

    /** Forgets a record that has begun and is not needed, and returns its slot. */
    void drop(@Nullable AuditSlot slot, MutableAuditRecord record) {
        writer.dropped(record);
        if (slot != null) {
            slot.giveBack();
        }
    }

    /** Fills a record for a connection that ended before an exchange began. */
    void ended(MutableAuditRecord record, ConnectionInfo connection, EarlyTermination ended) {
        Refusal why = ended.refusal();
        record.action(ended.action()).statusCode(why.status()).error(why.code() + ": " + why.detail());
        endedUntold(record, connection, ended);
    }

    /** As {@link #ended}, for a record that already holds the outcome and its cause. */
    void endedUntold(MutableAuditRecord record, ConnectionInfo connection, EarlyTermination ended) {
        record.endedBeforeRequest(ended.refusal().code(), ended.alert());
        String sni = connection.sni();
        String target = connection.tunnelTarget();
        hint.ended(connection.peer(), sni != null ? sni : target != null ? target : "", ended);
    }
}
