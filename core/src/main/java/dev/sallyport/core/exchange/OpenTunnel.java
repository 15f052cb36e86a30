package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * An open tunnel: admitted, or opened only to report the refusal inside. Idle tunnels hold no slot, or enough of them
 * would stop all traffic; one that ends unused waits for a slot with its record, of which there are at most as many as
 * connections.
 */
final class OpenTunnel implements Exchanges.Tunnel {

    private final ExchangeServices services;
    private final EventLoop loop;
    private final AuditRecord record;
    private final long startNanos;
    private final @Nullable RefusedTunnelTarget refused;
    private boolean settled;

    /** @param refused the recorded refusal, or null if the tunnel was admitted */
    OpenTunnel(
            ExchangeServices services,
            EventLoop loop,
            AuditRecord record,
            long startNanos,
            @Nullable RefusedTunnelTarget refused) {
        this.services = services;
        this.loop = loop;
        this.record = record;
        this.startNanos = startNanos;
        this.refused = refused;
    }

    @Override
    public Exchanges.Client client(ConnectionInfo inside) {
        return HttpExchanges.client(services, inside, refused);
    }

    @Override
    public void used() {
        if (!settled) {
            services.audit().dropped(record);
        }
        settled = true;
    }

    @Override
    public void ended(ConnectionInfo inside, EarlyTermination ended) {
        if (settled) {
            return;
        }
        settled = true;
        if (refused == null) {
            services.ended(record, inside, ended);
        } else {
            services.endedUntold(record, inside, ended);
        }
        String sni = inside.sni();
        if (sni != null) {
            record.sni(sni);
        }
        record.protocol(inside.protocol()).durationNanos(System.nanoTime() - startNanos);
        services.offerLater(loop, record);
    }
}
