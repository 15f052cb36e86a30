package dev.sallyport.core.net.request;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.Destinations;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the connection says about a request's destination.
 *
 * @param listener the listener that accepted the connection
 * @param secure whether the client speaks TLS
 * @param tunnel the target of the tunnel around it, or null
 * @param sni the canonical server name of the client's TLS handshake, or null
 * @param original the destination from which the kernel redirected the connection, or null; an address, which is the
 * destination of a request that names none
 * @param pinnedPort the port that applies whatever the request says: of the tunnel, or the original port of a
 * connection that the kernel redirected; 0 for none
 * @param proxyTls whether the client speaks TLS with the proxy itself, around all the rest: on the tunnel listener
 */
public record Ingress(
        ListenerKind listener,
        boolean secure,
        @Nullable Destination tunnel,
        @Nullable String sni,
        @Nullable Destination original,
        int pinnedPort,
        boolean proxyTls) {

    public static Ingress plain(ListenerKind listener) {
        return new Ingress(listener, false, null, null, null, 0, false);
    }

    public Ingress redirected(InetSocketAddress from) {
        Destination target = Destinations.ofAddress(from.getAddress(), from.getPort(), secure);
        return new Ingress(listener, secure, tunnel, sni, target, target.port(), proxyTls);
    }

    public Ingress through(Destination target) {
        return new Ingress(listener, false, target, null, null, target.port(), proxyTls);
    }

    public Ingress withTls(@Nullable String serverName) {
        return new Ingress(listener, true, tunnel, serverName, original, pinnedPort, proxyTls);
    }

    /** The same within TLS of the proxy's own. */
    public Ingress withinProxyTls() {
        return new Ingress(listener, secure, tunnel, sni, original, pinnedPort, true);
    }

    /** The destination that the client has named before it sent anything, without TLS; null when it has named none. */
    public @Nullable Destination named() {
        Destination outside = tunnel != null ? tunnel : original;
        return outside == null ? null : Destinations.parse(outside.host(), outside.port(), false);
    }

    /** Whether CONNECT and SOCKS5 are accepted here. */
    public boolean opensTunnels() {
        return listener == ListenerKind.TUNNEL && tunnel == null && !secure;
    }
}
