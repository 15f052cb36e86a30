package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import io.netty.channel.EventLoop;

/**
 * A tunnel that was let through. Idle tunnels hold no slot, or enough of them would stop all traffic; one that ends
 * unused waits for a slot with its record, of which there are at most as many as connections.
 */
final class OpenTunnel implements Exchanges.Tunnel {

    private final ExchangeServices services;
    private final EventLoop loop;
    private final AuditRecord record;
    private final long startNanos;
    private boolean settled;

    OpenTunnel(ExchangeServices services, EventLoop loop, AuditRecord record, long startNanos) {
        this.services = services;
        this.loop = loop;
        this.record = record;
        this.startNanos = startNanos;
    }

    @Override
    public void used() {
        if (!settled) {
            services.audit().dropped(record);
        }
        settled = true;
    }

    @Override
    public void ended(ConnectionInfo inside, Ended ended) {
        if (settled) {
            return;
        }
        settled = true;
        services.ended(record, inside, ended);
        String sni = inside.sni();
        if (sni != null) {
            record.sni(sni);
        }
        record.protocol(inside.protocol()).durationNanos(System.nanoTime() - startNanos);
        services.offerLater(loop, record);
    }
}
