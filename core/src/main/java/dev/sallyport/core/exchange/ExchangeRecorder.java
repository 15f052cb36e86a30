package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.pipeline.Generation;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes an exchange's audit record exactly once and returns its lease on the generation. Confined to the exchange's
 * loop.
 */
final class ExchangeRecorder {

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeRecorder.class);

    private final ExchangeServices services;
    private final Generation generation;
    private final EventLoop loop;
    private final AuditRecord record;
    private final String exchangeId;
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
            ExchangeServices services,
            Generation generation,
            EventLoop loop,
            AuditSlot slot,
            AuditRecord record,
            String exchangeId,
            long startNanos) {
        this.services = services;
        this.generation = generation;
        this.loop = loop;
        this.record = record;
        this.exchangeId = exchangeId;
        this.startNanos = startNanos;
        this.slot = slot;
        services.settling().add(loop, this);
        generation.acquire(loop);
    }

    String exchangeId() {
        return exchangeId;
    }

    AuditRecord record() {
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

    void upstream(InetSocketAddress address) {
        record.upstreamAddr(address);
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

    /** Records a refusal by the engine; its code becomes the error unless a better one is given. */
    void refused(Refusal refusal, String error) {
        if (!byTransform) {
            action = refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR;
            record.error(error.isEmpty() ? refusal.code() : refusal.code() + ": " + error);
        } else if (!error.isEmpty()) {
            record.error(error);
        }
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

    void observerDetached(int position, String why) {
        LOG.warn("transforms[{}] stopped observing exchange {}: {}", position, exchangeId, why);
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
            services.audit().lasts(record);
            held.giveBack();
        }
    }

    private @Nullable AuditSlot takeSlot() {
        AuditSlot held = slot;
        if (held != null) {
            slot = null;
            services.settling().remove(this);
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
        AuditSlot held = takeSlot();
        if (held == null) {
            services.offerLater(loop, record);
        } else {
            services.audit().offer(held, record);
        }
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
