package dev.sallyport.core.upstream;

import dev.sallyport.core.loop.Transition;
import java.util.EnumSet;
import java.util.Set;

/**
 * The state of an HTTP/2 stream that neither side has reset (RFC 9113, 5.1). Each method is an event and returns the
 * state that follows; an event that the state does not allow is a fault of the proxy.
 */
enum StreamState {
    IDLE,
    OPEN,
    HALF_CLOSED_LOCAL,
    HALF_CLOSED_REMOTE,
    CLOSED;

    private static final Set<StreamState> SENDING = EnumSet.of(OPEN, HALF_CLOSED_REMOTE);
    private static final Set<StreamState> RECEIVING = EnumSet.of(OPEN, HALF_CLOSED_LOCAL);

    StreamState opens() {
        return Transition.check(this, OPEN, "opens", IDLE);
    }

    /** END_STREAM has been sent. */
    StreamState localEnds() {
        return Transition.check(this, this == OPEN ? HALF_CLOSED_LOCAL : CLOSED, "localEnds", SENDING);
    }

    /** END_STREAM has been received. */
    StreamState remoteEnds() {
        return Transition.check(this, this == OPEN ? HALF_CLOSED_REMOTE : CLOSED, "remoteEnds", RECEIVING);
    }

    boolean isLocalEnded() {
        return this == HALF_CLOSED_LOCAL || this == CLOSED;
    }

    boolean isRemoteEnded() {
        return this == HALF_CLOSED_REMOTE || this == CLOSED;
    }
}
