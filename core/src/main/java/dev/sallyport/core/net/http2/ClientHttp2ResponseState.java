package dev.sallyport.core.net.http2;

import dev.sallyport.core.loop.Transition;
import java.util.EnumSet;
import java.util.Set;

/**
 * The progress of a response on a client's HTTP/2 stream. Each method is an event and returns the state that
 * follows; an event that the state does not allow is a fault of the proxy.
 */
enum ClientHttp2ResponseState {
    /** The head is still to come. */
    PENDING,
    /** The head was the whole message; anything that follows is dropped. */
    HEAD_ONLY,
    BODY,
    /** Another protocol, after an upgrade (RFC 8441): each half ends by itself. */
    UPGRADED,
    /** After an upgrade: the end of the origin's half waits to be written. */
    ENDING_HALF,
    /** After an upgrade: the end of the origin's half has been written, and the client has not ended its half. */
    HALF_CLOSED,
    /** The end waits to be written; nothing more may be sent. */
    ENDED,
    /** The last frame has been written, or the stream is gone. */
    CLOSED;

    private static final Set<ClientHttp2ResponseState> CLOSABLE =
            EnumSet.of(HEAD_ONLY, ENDING_HALF, HALF_CLOSED, ENDED);

    ClientHttp2ResponseState headSent(boolean whole) {
        return Transition.check(this, whole ? HEAD_ONLY : BODY, "headSent", PENDING);
    }

    ClientHttp2ResponseState upgrades() {
        return Transition.check(this, UPGRADED, "upgrades", PENDING);
    }

    /** The exchange has handed over the end of the body. */
    ClientHttp2ResponseState ends() {
        return Transition.check(this, ENDED, "ends", BODY);
    }

    /** The origin has ended its half, after an upgrade. */
    ClientHttp2ResponseState halfEnds() {
        return Transition.check(this, ENDING_HALF, "halfEnds", UPGRADED);
    }

    /** The end of the origin's half has been written. */
    ClientHttp2ResponseState halfWritten() {
        return Transition.check(this, HALF_CLOSED, "halfWritten", ENDING_HALF);
    }

    /** The last frame has been written. */
    ClientHttp2ResponseState written() {
        return Transition.check(this, CLOSED, "written", CLOSABLE);
    }

    /** The exchange has given up, or the stream is gone. Allowed in any state. */
    ClientHttp2ResponseState breaksOff() {
        return CLOSED;
    }

    /** Whether nothing more may be sent. */
    boolean isOver() {
        return this == ENDED || this == CLOSED;
    }
}
