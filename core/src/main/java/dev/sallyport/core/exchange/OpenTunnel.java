package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;

/** A tunnel that was let through, with the permit of its own record until a request follows inside. */
final class OpenTunnel implements Exchanges.Tunnel {

    private final ExchangeServices services;
    private final AuditRecord record;
    private final long startNanos = System.nanoTime();
    private boolean settled;

    OpenTunnel(ExchangeServices services, AuditRecord record) {
        this.services = services;
        this.record = record;
    }

    @Override
    public void used() {
        if (!settled) {
            settled = true;
            services.gate().release();
        }
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
            services.audit().offer(record);
        }
    }
}
