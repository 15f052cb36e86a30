package dev.sallyport.core.net.http2;

import dev.sallyport.core.loop.Transition;
import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a client's HTTP/2 connection. Each method is an event and returns the state that follows; an event that
 * the state does not allow is a fault of the proxy.
 */
enum ClientHttp2State {
    OPEN,
    /** A first GOAWAY announces the end; requests that cross with it are still served (RFC 9113, 6.8). */
    DRAIN_ANNOUNCED,
    /** The second GOAWAY has been sent: requests in progress continue, and no new ones begin. */
    DRAINING,
    /** The last frame has been written; further input is dropped. */
    CLOSING;

    private static final Set<ClientHttp2State> CLOSABLE = EnumSet.of(OPEN, DRAIN_ANNOUNCED, DRAINING);

    ClientHttp2State drainAnnounced() {
        return Transition.check(this, DRAIN_ANNOUNCED, "drainAnnounced", OPEN);
    }

    ClientHttp2State drains() {
        return Transition.check(this, DRAINING, "drains", DRAIN_ANNOUNCED);
    }

    ClientHttp2State closes() {
        return Transition.check(this, CLOSING, "closes", CLOSABLE);
    }

    /** The channel has closed, or is another protocol's. Allowed in any state. */
    ClientHttp2State closed() {
        return CLOSING;
    }
}
