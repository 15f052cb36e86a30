package dev.sallyport.core.exchange;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a client's connection; see {@link Connection} for the components.
 *
 * @param local the proxy's address to which the client connected
 * @param tunnelTarget {@code host:port} of the CONNECT or SOCKS5 request that opened the tunnel, or null
 */
public record ConnectionInfo(
        ListenerKind listener,
        String transport,
        String protocol,
        InetSocketAddress peer,
        InetSocketAddress local,
        @Nullable String sni,
        @Nullable String alpn,
        @Nullable String tunnelTarget,
        Principal principal)
        implements Connection {

    /** The {@link Principal#source} of clients that authenticated to the proxy. */
    public static final String PROXY_AUTH = "proxy_auth";

    /** The same connection with another principal. */
    public ConnectionInfo as(Principal caller) {
        return new ConnectionInfo(listener, transport, protocol, peer, local, sni, alpn, tunnelTarget, caller);
    }
}
