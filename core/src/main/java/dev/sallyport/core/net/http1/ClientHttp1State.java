package dev.sallyport.core.net.http1;

import dev.sallyport.core.loop.Transition;
import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a client's HTTP/1.1 connection. Each method is an event and returns the state that follows. An event
 * that the state does not allow is a fault of the proxy, and the connection ends. Whether the client has closed its
 * half is not part of the state: it may do so in any.
 */
enum ClientHttp1State {
    /** Between two requests: nothing of a head has arrived. */
    AWAITING_HEAD,
    /** A part of a head has arrived. */
    READING_HEAD,
    /** The head of a message without a body has arrived; the end follows at once. */
    AWAITING_END,
    /** A request waits for its permit. */
    ADMITTING,
    /** A request is in its exchange. */
    IN_EXCHANGE,
    /** The next request is left undecoded until the client reads what has been written. */
    BACKPRESSURED,
    /** Another protocol, after 101. */
    UPGRADED,
    /** The last byte has been written; further input is dropped. */
    CLOSING,
    /** The interior of a tunnel has taken over. */
    HANDED_OVER,
    CLOSED;

    private static final Set<ClientHttp1State> BEFORE_A_HEAD = EnumSet.of(AWAITING_HEAD, READING_HEAD);
    private static final Set<ClientHttp1State> BEFORE_A_REQUEST = EnumSet.of(AWAITING_HEAD, READING_HEAD, AWAITING_END);
    private static final Set<ClientHttp1State> WITH_AN_EXCHANGE = EnumSet.of(IN_EXCHANGE, UPGRADED);
    private static final Set<ClientHttp1State> CLOSABLE =
            EnumSet.of(AWAITING_HEAD, READING_HEAD, BACKPRESSURED, IN_EXCHANGE, UPGRADED);

    ClientHttp1State headBegins() {
        return to(READING_HEAD, "headBegins", AWAITING_HEAD);
    }

    ClientHttp1State headDecoded(boolean bodyless) {
        return to(bodyless ? AWAITING_END : ADMITTING, "headDecoded", BEFORE_A_HEAD);
    }

    ClientHttp1State endDecoded() {
        return to(ADMITTING, "endDecoded", AWAITING_END);
    }

    /** What has arrived is not a request, and is answered nevertheless. */
    ClientHttp1State refused() {
        return to(ADMITTING, "refused", BEFORE_A_REQUEST);
    }

    ClientHttp1State admitted() {
        return to(IN_EXCHANGE, "admitted", ADMITTING);
    }

    /** The response has been written, and another request may follow. */
    ClientHttp1State answered(boolean writable) {
        return to(writable ? AWAITING_HEAD : BACKPRESSURED, "answered", IN_EXCHANGE);
    }

    ClientHttp1State writable() {
        return to(AWAITING_HEAD, "writable", BACKPRESSURED);
    }

    ClientHttp1State upgraded() {
        return to(UPGRADED, "upgraded", IN_EXCHANGE);
    }

    ClientHttp1State handedOver() {
        return to(HANDED_OVER, "handedOver", IN_EXCHANGE);
    }

    /** Nothing further is written. */
    ClientHttp1State closes() {
        return to(CLOSING, "closes", CLOSABLE);
    }

    /** The response is broken off. */
    ClientHttp1State aborted() {
        return to(CLOSING, "aborted", WITH_AN_EXCHANGE);
    }

    /** Allowed in any state. */
    ClientHttp1State closed() {
        return this == HANDED_OVER ? HANDED_OVER : CLOSED;
    }

    private ClientHttp1State to(ClientHttp1State next, String event, ClientHttp1State source) {
        return Transition.check(this, next, event, source);
    }

    private ClientHttp1State to(ClientHttp1State next, String event, Set<ClientHttp1State> sources) {
        return Transition.check(this, next, event, sources);
    }
}
