package dev.sallyport.core.net.http1;

import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.BEGUN;
import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.CLIENT_ENDED;
import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.ENDED;
import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.ORIGIN_ENDED;
import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.PENDING;
import static dev.sallyport.core.net.http1.ClientHttp1ResponseState.UPGRADED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.TransitionTable;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The transitions of a response to an HTTP/1.1 client; any other is a fault. */
class ClientHttp1ResponseStateTest {

    @TestFactory
    Stream<DynamicTest> eachTransitionHasItsSourcesAndNoOthers() {
        return TransitionTable.of(ClientHttp1ResponseState.class)
                .row("begins", ClientHttp1ResponseState::begins, Map.of(PENDING, BEGUN))
                .row("upgrades", ClientHttp1ResponseState::upgrades, Map.of(PENDING, UPGRADED))
                .row("clientEnds", ClientHttp1ResponseState::clientEnds, Map.of(UPGRADED, CLIENT_ENDED))
                .row("originEnds", ClientHttp1ResponseState::originEnds, Map.of(UPGRADED, ORIGIN_ENDED))
                .row(
                        "completes",
                        ClientHttp1ResponseState::completes,
                        Map.of(BEGUN, ENDED, CLIENT_ENDED, ENDED, ORIGIN_ENDED, ENDED))
                .tests();
    }

    @Test
    void aResponseMayBreakOffAtAnyTime() {
        for (ClientHttp1ResponseState state : ClientHttp1ResponseState.values()) {
            assertThat(state.breaksOff()).isEqualTo(ENDED);
        }
    }

    @Test
    void eachHalfOfAnotherProtocolIsUpgraded() {
        assertThat(Stream.of(ClientHttp1ResponseState.values()).filter(ClientHttp1ResponseState::isUpgraded))
                .containsExactly(UPGRADED, CLIENT_ENDED, ORIGIN_ENDED);
    }
}
