package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.pipeline.Generation;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one exchange owes: its audit record, written exactly once with the permit that it holds, and its lease on a
 * generation. Confined to the exchange's loop.
 */
final class Ledger {

    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

    private final ExchangeServices services;
    private final Generation generation;
    private final EventLoop loop;
    private final AuditRecord record;
    private final String exchangeId;
    private final long startNanos = System.nanoTime();

    private AuditRecord.Action action = AuditRecord.Action.ALLOW;
    private boolean byTransform;
    private long requestBytes;
    private long responseBytes;
    private boolean permitted = true;
    private boolean leased = true;
    private boolean closed;

    Ledger(ExchangeServices services, Generation generation, EventLoop loop, AuditRecord record, String exchangeId) {
        this.services = services;
        this.generation = generation;
        this.loop = loop;
        this.record = record;
        this.exchangeId = exchangeId;
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

    /** The engine answers with a refusal; with one of its own, the code is the record's error unless there is a better. */
    void refused(Refusal refusal, String error) {
        if (!byTransform) {
            action = refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR;
            record.error(error.isEmpty() ? refusal.code() : refusal.code() + ": " + error);
        } else if (!error.isEmpty()) {
            record.error(error);
        }
    }

    /** A response that had begun was broken off. */
    void failed(String error) {
        action = AuditRecord.Action.ERROR;
        record.error(error);
    }

    /** The client left, or broke its message off when the response had begun; the error may be empty. */
    void clientGone(String error) {
        action = AuditRecord.Action.CLIENT_CANCEL;
        if (!error.isEmpty()) {
            record.error(error);
        }
    }

    void observerDetached(int position, String why) {
        LOG.warn("transforms[{}] stopped observing exchange {}: {}", position, exchangeId, why);
    }

    /** The proxy ended what had been let through; that is no failure. */
    void ended(String why) {
        record.error(why);
    }

    /**
     * The exchange may last for hours now: it gives back the permit, or enough of its kind would stop all traffic, and the
     * lease, unless transforms still work on it.
     */
    void settleDown(boolean keepLease) {
        permitted = false;
        services.gate().release();
        if (!keepLease) {
            releaseLease();
        }
    }

    /** Writes the record, and gives the lease back if that has not been done. Idempotent. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        record.action(action)
                .requestBytes(requestBytes)
                .responseBytes(responseBytes)
                .durationNanos(System.nanoTime() - startNanos);
        if (permitted) {
            services.audit().offer(record);
        } else {
            services.offerLater(loop, record);
        }
        releaseLease();
    }

    /** Gives the lease back: nothing of the generation will be called any more. Idempotent. */
    void releaseLease() {
        if (leased) {
            leased = false;
            generation.release(loop);
        }
    }
}
