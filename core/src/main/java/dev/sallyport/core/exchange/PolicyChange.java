package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.pipeline.Generation;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** The refusal of what an earlier generation had admitted. */
final class PolicyChange {

    private PolicyChange() {}

    /**
     * Judges a destination at connection level; on the loop.
     *
     * @return the refusal, or null when the destination is still allowed, or is the proxy's own site
     */
    static Generation.@Nullable TunnelRefusal judge(Generation now, EventLoop loop, TunnelRequest asked) {
        return LocalSite.serves(asked.target()) ? null : now.admit(loop, asked);
    }

    /** Notes who refused. */
    static void note(MutableAuditRecord record, Generation now, Generation.TunnelRefusal refusal) {
        TransformTrace entry = record.requestTrace(refusal.stage().name());
        if (Refusal.isRejection(refusal.status())) {
            record.rejectedBy(refusal.stage().name());
            entry.action("reject").annotate("code", refusal.code());
        } else {
            entry.action("error").error(refusal.code());
        }
        record.error(error(now));
    }

    /** The error of the record. */
    static String error(Generation now) {
        String who = now.isOfWorkload() ? "the workload's policy" : "generation " + now.number();
        return "policy_changed: " + who + " refuses what an earlier one had admitted";
    }
}
