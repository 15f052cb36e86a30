package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.ClientShare;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The exchanges of a proxy that sees whole requests. Thread-safe; each client on the loop of its connection. */
public final class HttpExchanges implements Exchanges {

    private final ExchangeServices services;

    public HttpExchanges(ExchangeServices services) {
        this.services = services;
    }

    @Override
    public Client client(ConnectionInfo connection, BooleanSupplier open) {
        return client(services, connection, open, null);
    }

    @Override
    public boolean maySwitch(Principal caller, String host) {
        Generation generation = services.pipeline().current(caller);
        return generation != null && generation.maySwitch(host);
    }

    @Override
    public boolean relays(Principal caller, Destination destination) {
        Generation generation = services.pipeline().current(caller);
        return generation != null && generation.relays(destination);
    }

    /** @param refused the tunnel's target that every request must be judged by, or null */
    static Client client(
            ExchangeServices services,
            ConnectionInfo connection,
            BooleanSupplier open,
            @Nullable TunnelTarget refused) {
        Principal caller = connection.principal();
        return new Asking(services, connection, open, share(services.audit().gate(), connection, caller), refused);
    }

    private static ClientShare share(AuditGate gate, ConnectionInfo connection, Principal caller) {
        InetAddress address = connection.peer().getAddress();
        String organization = Callers.organizationOf(caller);
        return Callers.isUnclaimed(caller.workload())
                ? gate.shareAt(address, caller.workload(), organization)
                : gate.share(address, caller.workload(), organization);
    }

    private record Asking(
            ExchangeServices services,
            ConnectionInfo connection,
            BooleanSupplier open,
            ClientShare share,
            @Nullable TunnelTarget refused)
            implements Client {

        @Override
        public @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable) {
            AuditSlot slot = services.audit().gate().tryAcquire(share);
            if (slot != null) {
                return new AuditPermit(services, connection, loop, share, slot, refused);
            }
            services.audit().gate().whenAvailable(share, loop, whenAvailable, open);
            return null;
        }

        @Override
        public @Nullable Permit tryRecord(EventLoop loop, Runnable whenAvailable) {
            AuditSlot slot = services.audit().gate().tryAcquireUnbegun(share);
            if (slot != null) {
                return new AuditPermit(services, connection, loop, share, slot, refused);
            }
            services.audit().gate().whenUnbegunAvailable(share, loop, whenAvailable);
            return null;
        }
    }
}
