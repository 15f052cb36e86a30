package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyEventListener;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.upstream.OriginEndpoint;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes an exchange's audit record exactly once and returns its lease on the generation. Confined to the exchange's
 * loop.
 */
final class ExchangeRecorder implements BodyEventListener {

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeRecorder.class);

    private static final String SECRET_DELETED =
            EngineVerdicts.SECRET_DELETED.code() + ": a credential that it carries was deleted";

    private final AuditTrail audit;
    private final Generation generation;
    private final EventLoop loop;
    private final MutableAuditRecord record;
    private final long startNanos;

    private AuditRecord.Action action = AuditRecord.Action.ALLOW;
    private boolean byTransform;
    private long requestBytes;
    private long responseBytes;
    private boolean leased = true;
    private boolean closed;

    /** The slot for the record; null once it has been returned. */
    private @Nullable AuditSlot slot;

    /** Neighbours in the list of those that hold slots; {@link AuditSlotReclaimer}'s. */
    @Nullable ExchangeRecorder older;

    @Nullable ExchangeRecorder younger;

    ExchangeRecorder(
            AuditTrail audit,
            Generation generation,
            EventLoop loop,
            AuditSlot slot,
            MutableAuditRecord record,
            long startNanos) {
        this.audit = audit;
        this.generation = generation;
        this.loop = loop;
        this.record = record;
        this.startNanos = startNanos;
        this.slot = slot;
        audit.reclaimer().add(loop, this);
        generation.acquire(loop);
    }

    MutableAuditRecord record() {
        return record;
    }

    void requestBytes(int bytes) {
        requestBytes += bytes;
    }

    void responseBytes(int bytes) {
        responseBytes += bytes;
    }

    void status(int status) {
        record.statusCode(status);
    }

    void reached(OriginEndpoint endpoint) {
        note(record, endpoint);
    }

    /** What a record says of a connection. */
    static void note(MutableAuditRecord record, OriginEndpoint endpoint) {
        Parent via = endpoint.via();
        if (endpoint.address() != null) {
            record.upstreamAddr(endpoint.origin());
        }
        if (via != null) {
            record.via(via.toString(), endpoint.address() == null);
        }
    }

    /** How long the request waited for a connection to its origin. */
    void upstreamWait(long nanos) {
        record.upstreamWaitNanos(nanos);
    }

    /** How long the origin took until its final head. */
    void upstreamResponse(long nanos) {
        record.upstreamResponseNanos(nanos);
    }

    void rejectedBy(String transform) {
        byTransform = true;
        action = AuditRecord.Action.REJECT;
        record.rejectedBy(transform);
    }

    void stubbedBy(String transform) {
        action = AuditRecord.Action.STUB;
        record.stubbedBy(transform);
    }

    /**
     * Records a refusal. The error begins with its code; a transform that refuses has it in its own entry, and needs none.
     *
     * @param why what is known beside the code, or empty
     */
    void refused(Refusal refusal, String why) {
        if (!byTransform) {
            action = refusal.action();
        }
        if (!byTransform || !why.isEmpty()) {
            record.error(refusal.error(why));
        }
    }

    /** Whether this generation has admitted the exchange. */
    boolean isAdmittedBy(Generation other) {
        return generation == other;
    }

    /** Records that a later generation refuses the exchange. */
    void refusedAnew(Generation now, Generation.TunnelRefusal refusal) {
        byTransform = Refusal.isRejection(refusal.status());
        action = Refusal.of(refusal).action();
        PolicyChange.note(record, now, refusal);
    }

    /** Records that a secret of this stage, which the exchange carries, was deleted. */
    void secretDeleted(Stage stage) {
        rejectedBy(stage.name());
        record.error(SECRET_DELETED);
    }

    /** Records that a started response was aborted. */
    void failed(String error) {
        action = AuditRecord.Action.ERROR;
        record.error(error);
    }

    /** Records that the proxy refused what the client sent after its head. */
    void refusedLate(String error) {
        action = AuditRecord.Action.REJECT;
        record.error(error);
    }

    /** Records that the client aborted its request after the response had begun. */
    void clientGone(String error) {
        action = AuditRecord.Action.CLIENT_CANCEL;
        record.error(error);
    }

    /** Records that the client is gone. */
    void gone(DisconnectReason why) {
        action = why.action();
        if (!why.error().isEmpty()) {
            record.error(why.error());
        }
    }

    @Override
    public void observerDetached(int position, String why) {
        LOG.warn("transforms[{}] stopped observing exchange {}: {}", position, record.exchangeId(), why);
    }

    /** Records by its code what was put right in what the origin sent, or read nevertheless. */
    @Override
    public void tolerated(String code) {
        record.note(MutableAuditRecord.TOLERATED, code);
    }

    /** Records that the proxy ended an allowed exchange, which is not a failure. */
    void ended(String why) {
        record.error(why);
    }

    /** The duration so far. */
    long age(long nowNanos) {
        return nowNanos - startNanos;
    }

    /**
     * Returns the slot of an exchange that may now last for hours; enough of these would stop all traffic. Its record
     * will wait for another slot. Idempotent.
     */
    void settleDown() {
        AuditSlot held = takeSlot();
        if (held != null) {
            audit.giveBack(held, record);
        }
    }

    private @Nullable AuditSlot takeSlot() {
        AuditSlot held = slot;
        if (held != null) {
            slot = null;
            audit.reclaimer().remove(this);
        }
        return held;
    }

    /** Writes the record, and returns the lease if that has not been done. Idempotent. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        record.action(action)
                .requestBytes(requestBytes)
                .responseBytes(responseBytes)
                .durationNanos(System.nanoTime() - startNanos);
        audit.offer(takeSlot(), loop, record);
        releaseLease();
    }

    /** Returns the lease: no code of the generation will be called any more. Idempotent. */
    void releaseLease() {
        if (leased) {
            leased = false;
            generation.release(loop);
        }
    }
}
