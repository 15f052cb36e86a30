package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.ClientShare;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** The exchanges of a proxy that sees whole requests. Thread-safe; each client on the loop of its connection. */
public final class HttpExchanges implements Exchanges {

    private final ExchangeServices services;

    public HttpExchanges(ExchangeServices services) {
        this.services = services;
    }

    @Override
    public Client client(ConnectionInfo connection) {
        return client(services, connection, null);
    }

    /** @param refused the tunnel's target that every request must be judged by, or null */
    static Client client(ExchangeServices services, ConnectionInfo connection, @Nullable RefusedTunnelTarget refused) {
        ClientShare share = services.gate()
                .share(connection.peer().getAddress(), connection.principal().workload());
        return new Asking(services, connection, share, refused);
    }

    private record Asking(
            ExchangeServices services,
            ConnectionInfo connection,
            ClientShare share,
            @Nullable RefusedTunnelTarget refused)
            implements Client {

        @Override
        public @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable) {
            AuditSlot slot = services.gate().tryAcquire(share);
            if (slot != null) {
                return new AuditPermit(services, connection, loop, slot, refused);
            }
            services.gate().whenAvailable(share, loop, whenAvailable);
            return null;
        }
    }
}
