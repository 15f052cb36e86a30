package dev.sallyport.core.exchange;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a client's connection; see {@link Connection} for what they mean.
 *
 * @param tls the client's TLS handshake, or null where the client does not speak TLS
 * @param tunnelTarget {@code host:port} of the CONNECT or SOCKS5 request that opened the tunnel, or null
 */
public record ConnectionInfo(
        ListenerKind listener,
        Endpoints endpoints,
        @Nullable TlsHandshake tls,
        String protocol,
        @Nullable String tunnelTarget,
        Principal principal)
        implements Connection {

    private static final String TCP = "tcp";
    private static final String TLS = "tls";

    /**
     * The two ends of a connection.
     *
     * @param peer the client's address
     * @param local the proxy's address to which the client connected
     */
    public record Endpoints(InetSocketAddress peer, InetSocketAddress local) {}

    /**
     * What a TLS handshake has agreed.
     *
     * @param sni the server name (RFC 6066, 3), canonical, or null
     * @param alpn the protocol (RFC 7301), or null
     */
    public record TlsHandshake(
            @Nullable String sni, @Nullable String alpn) {}

    /** The same connection with another principal. */
    public ConnectionInfo as(Principal caller) {
        return new ConnectionInfo(listener, endpoints, tls, protocol, tunnelTarget, caller);
    }

    /** The proxy's address to which the client connected. */
    public InetSocketAddress local() {
        return endpoints.local();
    }

    @Override
    public InetSocketAddress peer() {
        return endpoints.peer();
    }

    @Override
    public String transport() {
        return tls == null ? TCP : TLS;
    }

    @Override
    public @Nullable String sni() {
        return tls == null ? null : tls.sni();
    }

    @Override
    public @Nullable String alpn() {
        return tls == null ? null : tls.alpn();
    }
}
