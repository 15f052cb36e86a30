package dev.sallyport.spi;

import java.io.IOException;
import java.net.Socket;

/**
 * Opens connections of the operator's own, for libraries that bring a protocol of their own to them, as the engine opens
 * those of {@link HttpCaller}: with its resolver, and through the parent proxy where one is configured. Thread-safe.
 */
public interface Connector {

    /**
     * A way to a host. A connection that was made on an equal one may be used as if it were made now; on another, it is to
     * be replaced. The text shows no credentials.
     */
    interface Route {

        /** Without a parent proxy. */
        Route DIRECT = new Route() {
            @Override
            public String toString() {
                return "directly";
            }
        };
    }

    /**
     * The way on which {@link #connect} reaches a host now. Cheap enough to be asked before each use of a connection.
     *
     * @param secure whether the connection will carry TLS: which parent is asked depends on it
     */
    Route route(String host, int port, boolean secure);

    /**
     * Connects; the caller owns the socket. TLS, if any, is the caller's. Blocks, for as long as connecting to an upstream
     * may take: not on an event loop.
     *
     * @param secure as for {@link #route}
     * @throws IOException whose message says in the engine's own words what failed; fit for audit records
     */
    Socket connect(String host, int port, boolean secure) throws IOException;
}
