package dev.sallyport.core.net.http2;

import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.BODY;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.CLOSED;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.ENDED;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.ENDING_HALF;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.HALF_CLOSED;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.HEAD_ONLY;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.PENDING;
import static dev.sallyport.core.net.http2.ClientHttp2ResponseState.UPGRADED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.TransitionTable;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The transitions of a response on a client's HTTP/2 stream; any other is a fault. */
class ClientHttp2ResponseStateTest {

    @TestFactory
    Stream<DynamicTest> eachTransitionHasItsSourcesAndNoOthers() {
        return TransitionTable.of(ClientHttp2ResponseState.class)
                .row("headSent", state -> state.headSent(true), Map.of(PENDING, HEAD_ONLY))
                .row("headSent", state -> state.headSent(false), Map.of(PENDING, BODY))
                .row("upgrades", ClientHttp2ResponseState::upgrades, Map.of(PENDING, UPGRADED))
                .row("ends", ClientHttp2ResponseState::ends, Map.of(BODY, ENDED))
                .row("halfEnds", ClientHttp2ResponseState::halfEnds, Map.of(UPGRADED, ENDING_HALF))
                .row("halfWritten", ClientHttp2ResponseState::halfWritten, Map.of(ENDING_HALF, HALF_CLOSED))
                .row(
                        "written",
                        ClientHttp2ResponseState::written,
                        Map.of(HEAD_ONLY, CLOSED, ENDING_HALF, CLOSED, HALF_CLOSED, CLOSED, ENDED, CLOSED))
                .tests();
    }

    @Test
    void aResponseMayBreakOffAtAnyTime() {
        for (ClientHttp2ResponseState state : ClientHttp2ResponseState.values()) {
            assertThat(state.breaksOff()).isEqualTo(CLOSED);
        }
    }

    @Test
    void nothingMoreIsSentOnceTheEndHasBeenHandedOver() {
        assertThat(Stream.of(ClientHttp2ResponseState.values()).filter(ClientHttp2ResponseState::isOver))
                .containsExactly(ENDED, CLOSED);
    }
}
