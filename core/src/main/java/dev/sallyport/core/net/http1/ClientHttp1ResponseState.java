package dev.sallyport.core.net.http1;

import dev.sallyport.core.loop.Transition;
import java.util.EnumSet;
import java.util.Set;

/**
 * The progress of a response to an HTTP/1.1 client. Each method is an event and returns the state that follows; an
 * event that the state does not allow is a fault of the proxy.
 */
enum ClientHttp1ResponseState {
    /** The head is still to come. */
    PENDING,
    /** The head has been written. */
    BEGUN,
    /** Another protocol, after 101: each half ends by itself. */
    UPGRADED,
    /** After 101: the client has ended its half. */
    CLIENT_ENDED,
    /** After 101: the origin has ended its half. */
    ORIGIN_ENDED,
    /** Nothing more may be sent. */
    ENDED;

    private static final Set<ClientHttp1ResponseState> IN_PROGRESS = EnumSet.of(BEGUN, CLIENT_ENDED, ORIGIN_ENDED);

    ClientHttp1ResponseState begins() {
        return Transition.check(this, BEGUN, "begins", PENDING);
    }

    ClientHttp1ResponseState upgrades() {
        return Transition.check(this, UPGRADED, "upgrades", PENDING);
    }

    ClientHttp1ResponseState clientEnds() {
        return Transition.check(this, CLIENT_ENDED, "clientEnds", UPGRADED);
    }

    ClientHttp1ResponseState originEnds() {
        return Transition.check(this, ORIGIN_ENDED, "originEnds", UPGRADED);
    }

    /** The body has been written, or the second half of another protocol has ended. */
    ClientHttp1ResponseState completes() {
        return Transition.check(this, ENDED, "completes", IN_PROGRESS);
    }

    /** The exchange has given up, or the client is gone. Allowed in any state. */
    ClientHttp1ResponseState breaksOff() {
        return ENDED;
    }

    boolean isUpgraded() {
        return this == UPGRADED || this == CLIENT_ENDED || this == ORIGIN_ENDED;
    }
}
