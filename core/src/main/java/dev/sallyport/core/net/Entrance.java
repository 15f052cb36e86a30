package dev.sallyport.core.net;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.ListenerKind;
import org.jspecify.annotations.Nullable;

/**
 * What the way in says about where a request goes.
 *
 * @param listener where the connection came in
 * @param secure whether the client speaks TLS
 * @param tunnel the target of the tunnel around it, or null
 * @param sni the canonical server name of the client's TLS handshake, or null
 * @param pinnedPort the port that counts whatever the request says: of the tunnel, or the original port of a connection
 *     that the kernel redirected; 0 for none
 */
record Entrance(
        ListenerKind listener,
        boolean secure,
        @Nullable Destination tunnel,
        @Nullable String sni,
        int pinnedPort) {

    static Entrance plain(ListenerKind listener) {
        return new Entrance(listener, false, null, null, 0);
    }

    Entrance through(Destination target) {
        return new Entrance(listener, false, target, null, target.port());
    }

    Entrance withTls(@Nullable String serverName) {
        return new Entrance(listener, true, tunnel, serverName, pinnedPort);
    }

    /** Whether CONNECT and SOCKS5 are taken here. */
    boolean opensTunnels() {
        return listener == ListenerKind.TUNNEL && tunnel == null && !secure;
    }
}
