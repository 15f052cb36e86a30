package dev.sallyport.core;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to another caller than when it was made.
 *
 * @param of the same as it was
 */
record ReassignedConnection(Connection of, Principal principal) implements Connection {

    @Override
    public ListenerKind listener() {
        return of.listener();
    }

    @Override
    public String transport() {
        return of.transport();
    }

    @Override
    public String protocol() {
        return of.protocol();
    }

    @Override
    public InetSocketAddress peer() {
        return of.peer();
    }

    @Override
    public @Nullable String sni() {
        return of.sni();
    }

    @Override
    public @Nullable String alpn() {
        return of.alpn();
    }

    @Override
    public @Nullable String tunnelTarget() {
        return of.tunnelTarget();
    }
}
