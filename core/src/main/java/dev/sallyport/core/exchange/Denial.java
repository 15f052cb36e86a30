package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.tls.TlsAlert;
import org.jspecify.annotations.Nullable;

/**
 * The refusal of a request, a tunnel or a connection, and what the record tells of it.
 *
 * @param refusal what a request is answered, or would have been
 * @param rejectedBy the transform that refused, or null
 * @param error for the record, or null
 */
record Denial(
        Refusal refusal,
        @Nullable String rejectedBy,
        @Nullable String error) {

    /** No transform was asked. */
    static Denial byEngine(Refusal refusal) {
        return new Denial(refusal, null, refusal.code() + ": " + refusal.detail());
    }

    /** The action of the record: what a transform refuses is rejected, whatever the status. */
    AuditRecord.Action action() {
        return rejectedBy == null ? refusal.action() : AuditRecord.Action.REJECT;
    }

    /** What a client is told that speaks TLS with the origin. */
    TlsAlert alert() {
        return rejectedBy == null ? refusal.alert() : TlsAlert.ACCESS_DENIED;
    }

    /** Notes it in a record, except for action and status. */
    void note(MutableAuditRecord record) {
        if (rejectedBy != null) {
            record.rejectedBy(rejectedBy);
        }
        if (error != null) {
            record.error(error);
        }
    }
}
