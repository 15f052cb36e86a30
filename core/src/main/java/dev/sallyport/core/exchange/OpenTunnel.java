package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Connection;
import io.netty.channel.EventLoop;
import java.util.function.BooleanSupplier;

/**
 * An open tunnel: admitted, or opened only to report the refusal inside. Idle tunnels hold no slot, or enough of them
 * would stop all traffic; one that ends unused waits for a slot with its record, of which there are at most as many as
 * connections.
 */
final class OpenTunnel extends Recheckable implements Exchanges.Tunnel {

    private final ExchangeServices services;
    private final EventLoop loop;
    private final MutableAuditRecord record;
    private final long startNanos;
    private final TunnelTarget target;
    private final int judgedBy;
    private final boolean refusedAlready;
    private Runnable carrier = () -> {};
    private boolean settled;

    /**
     * @param judgedBy the number of the generation that admitted or refused it
     * @param refusedAlready whether the refusal has been recorded, and is to be reported inside
     */
    OpenTunnel(
            ExchangeServices services,
            EventLoop loop,
            MutableAuditRecord record,
            long startNanos,
            TunnelTarget target,
            int judgedBy,
            boolean refusedAlready) {
        this.services = services;
        this.loop = loop;
        this.record = record;
        this.startNanos = startNanos;
        this.target = target;
        this.judgedBy = judgedBy;
        this.refusedAlready = refusedAlready;
    }

    @Override
    public Exchanges.Client client(ConnectionInfo inside, BooleanSupplier open) {
        return HttpExchanges.client(services, inside, open, refusedAlready ? target : null);
    }

    @Override
    public void carriedBy(Runnable newCarrier) {
        carrier = newCarrier;
        if (!refusedAlready) {
            services.rechecks().add(this);
        }
    }

    @Override
    public void closed() {
        services.rechecks().remove(this);
    }

    @Override
    public void used() {
        if (!settled) {
            services.audit().writer().dropped(record);
        }
        settled = true;
    }

    @Override
    public void ended(ConnectionInfo inside, EarlyTermination ended) {
        if (settled) {
            return;
        }
        settled = true;
        if (refusedAlready) {
            services.audit().endedUntold(record, inside, ended);
        } else {
            services.audit().ended(record, inside, ended);
        }
        String sni = inside.sni();
        if (sni != null) {
            record.sni(sni);
        }
        record.protocol(inside.protocol());
        offer();
    }

    private void offer() {
        services.audit().offer(null, loop, record.durationNanos(System.nanoTime() - startNanos));
    }

    @Override
    Connection client() {
        return target.asked();
    }

    /** A refused tunnel has a record of its own even where requests inside had theirs: it was idle when it ended. */
    @Override
    void recheck(Generation now, Connection caller) {
        if (now.number() == judgedBy) {
            return;
        }
        Generation.TunnelRefusal refusal =
                PolicyChange.judge(now, loop, TunnelRequest.again(record.exchangeId(), caller, target.target()));
        if (refusal == null) {
            return;
        }
        settled = true;
        services.rechecks().remove(this);
        PolicyChange.note(record, now, refusal);
        record.action(Refusal.of(refusal).action()).statusCode(refusal.status());
        offer();
        carrier.run();
    }
}
