package dev.sallyport.core.net.http1;

import static dev.sallyport.core.net.http1.ClientHttp1State.ADMITTING;
import static dev.sallyport.core.net.http1.ClientHttp1State.AWAITING_END;
import static dev.sallyport.core.net.http1.ClientHttp1State.AWAITING_HEAD;
import static dev.sallyport.core.net.http1.ClientHttp1State.BACKPRESSURED;
import static dev.sallyport.core.net.http1.ClientHttp1State.CLOSED;
import static dev.sallyport.core.net.http1.ClientHttp1State.CLOSING;
import static dev.sallyport.core.net.http1.ClientHttp1State.HANDED_OVER;
import static dev.sallyport.core.net.http1.ClientHttp1State.IN_EXCHANGE;
import static dev.sallyport.core.net.http1.ClientHttp1State.READING_HEAD;
import static dev.sallyport.core.net.http1.ClientHttp1State.UPGRADED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.TransitionTable;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What may happen on a connection of HTTP/1.1, where, and what comes of it; everything else is a fault. */
class ClientHttp1StateTest {

    @TestFactory
    Stream<DynamicTest> eachTransitionHasItsSourcesAndNoOthers() {
        return TransitionTable.of(ClientHttp1State.class)
                .row("headBegins", ClientHttp1State::headBegins, Map.of(AWAITING_HEAD, READING_HEAD))
                .row(
                        "headDecoded",
                        state -> state.headDecoded(true),
                        Map.of(AWAITING_HEAD, AWAITING_END, READING_HEAD, AWAITING_END))
                .row(
                        "headDecoded",
                        state -> state.headDecoded(false),
                        Map.of(AWAITING_HEAD, ADMITTING, READING_HEAD, ADMITTING))
                .row("endDecoded", ClientHttp1State::endDecoded, Map.of(AWAITING_END, ADMITTING))
                .row(
                        "refused",
                        ClientHttp1State::refused,
                        Map.of(AWAITING_HEAD, ADMITTING, READING_HEAD, ADMITTING, AWAITING_END, ADMITTING))
                .row("admitted", ClientHttp1State::admitted, Map.of(ADMITTING, IN_EXCHANGE))
                .row("answered", state -> state.answered(true), Map.of(IN_EXCHANGE, AWAITING_HEAD))
                .row("answered", state -> state.answered(false), Map.of(IN_EXCHANGE, BACKPRESSURED))
                .row("writable", ClientHttp1State::writable, Map.of(BACKPRESSURED, AWAITING_HEAD))
                .row("upgraded", ClientHttp1State::upgraded, Map.of(IN_EXCHANGE, UPGRADED))
                .row("handedOver", ClientHttp1State::handedOver, Map.of(IN_EXCHANGE, HANDED_OVER))
                .row(
                        "closes",
                        ClientHttp1State::closes,
                        Map.of(
                                AWAITING_HEAD, CLOSING,
                                READING_HEAD, CLOSING,
                                BACKPRESSURED, CLOSING,
                                IN_EXCHANGE, CLOSING,
                                UPGRADED, CLOSING))
                .row("aborted", ClientHttp1State::aborted, Map.of(IN_EXCHANGE, CLOSING, UPGRADED, CLOSING))
                .tests();
    }

    @Test
    void theConnectionMayCloseAtAnyTime() {
        for (ClientHttp1State state : ClientHttp1State.values()) {
            assertThat(state.closed()).isEqualTo(state == HANDED_OVER ? HANDED_OVER : CLOSED);
        }
    }
}
