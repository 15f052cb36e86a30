package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.Share;
import dev.sallyport.core.audit.Slot;
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
    static Client client(ExchangeServices services, ConnectionInfo connection, @Nullable RefusedTarget refused) {
        Share share = services.gate()
                .share(connection.peer().getAddress(), connection.principal().workload());
        return new Asking(services, connection, share, refused);
    }

    private record Asking(
            ExchangeServices services,
            ConnectionInfo connection,
            Share share,
            @Nullable RefusedTarget refused) implements Client {

        @Override
        public @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable) {
            Slot slot = services.gate().tryAcquire(share);
            if (slot != null) {
                return new HeldPermit(services, connection, loop, slot, refused);
            }
            services.gate().whenAvailable(share, loop, whenAvailable);
            return null;
        }
    }
}
