package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import io.netty.channel.EventLoop;

/**
 * A tunnel that was let through. Idle tunnels hold no permit, or enough of them would stop all traffic; one that closes
 * unused waits for a permit with its record, of which there are at most as many as connections.
 */
final class OpenTunnel implements Exchanges.Tunnel {

    private final ExchangeServices services;
    private final EventLoop loop;
    private final AuditRecord record;
    private final long startNanos = System.nanoTime();
    private boolean settled;

    OpenTunnel(ExchangeServices services, EventLoop loop, AuditRecord record) {
        this.services = services;
        this.loop = loop;
        this.record = record;
    }

    @Override
    public void used() {
        settled = true;
    }

    @Override
    public void closed() {
        write(AuditRecord.Action.ALLOW, 200);
    }

    @Override
    public void failed(Refusal refusal) {
        if (!settled) {
            record.error(refusal.code() + ": " + refusal.detail());
        }
        write(AuditRecord.Action.REJECT, refusal.status());
    }

    private void write(AuditRecord.Action action, int status) {
        if (!settled) {
            settled = true;
            record.action(action).statusCode(status).durationNanos(System.nanoTime() - startNanos);
            services.offerLater(loop, record);
        }
    }
}
