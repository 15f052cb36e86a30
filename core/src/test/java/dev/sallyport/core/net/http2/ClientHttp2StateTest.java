package dev.sallyport.core.net.http2;

import static dev.sallyport.core.net.http2.ClientHttp2State.CLOSING;
import static dev.sallyport.core.net.http2.ClientHttp2State.DRAINING;
import static dev.sallyport.core.net.http2.ClientHttp2State.DRAIN_ANNOUNCED;
import static dev.sallyport.core.net.http2.ClientHttp2State.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.TransitionTable;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The transitions of a client's HTTP/2 connection; any other is a fault. */
class ClientHttp2StateTest {

    @TestFactory
    Stream<DynamicTest> eachTransitionHasItsSourcesAndNoOthers() {
        return TransitionTable.of(ClientHttp2State.class)
                .row("drainAnnounced", ClientHttp2State::drainAnnounced, Map.of(OPEN, DRAIN_ANNOUNCED))
                .row("drains", ClientHttp2State::drains, Map.of(DRAIN_ANNOUNCED, DRAINING))
                .row(
                        "closes",
                        ClientHttp2State::closes,
                        Map.of(OPEN, CLOSING, DRAIN_ANNOUNCED, CLOSING, DRAINING, CLOSING))
                .tests();
    }

    @Test
    void theChannelMayCloseAtAnyTime() {
        for (ClientHttp2State state : ClientHttp2State.values()) {
            assertThat(state.closed()).isEqualTo(CLOSING);
        }
    }
}
