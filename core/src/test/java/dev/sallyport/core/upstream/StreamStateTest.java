package dev.sallyport.core.upstream;

import static dev.sallyport.core.upstream.StreamState.CLOSED;
import static dev.sallyport.core.upstream.StreamState.HALF_CLOSED_LOCAL;
import static dev.sallyport.core.upstream.StreamState.HALF_CLOSED_REMOTE;
import static dev.sallyport.core.upstream.StreamState.IDLE;
import static dev.sallyport.core.upstream.StreamState.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.TransitionTable;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The transitions of an HTTP/2 stream (RFC 9113, 5.1); any other is a fault. */
class StreamStateTest {

    @TestFactory
    Stream<DynamicTest> eachTransitionHasItsSourcesAndNoOthers() {
        return TransitionTable.of(StreamState.class)
                .row("opens", StreamState::opens, Map.of(IDLE, OPEN))
                .row("localEnds", StreamState::localEnds, Map.of(OPEN, HALF_CLOSED_LOCAL, HALF_CLOSED_REMOTE, CLOSED))
                .row("remoteEnds", StreamState::remoteEnds, Map.of(OPEN, HALF_CLOSED_REMOTE, HALF_CLOSED_LOCAL, CLOSED))
                .tests();
    }

    @Test
    void aClosedStreamHasEndedOnBothSides() {
        assertThat(Stream.of(StreamState.values()).filter(StreamState::isLocalEnded))
                .containsExactly(HALF_CLOSED_LOCAL, CLOSED);
        assertThat(Stream.of(StreamState.values()).filter(StreamState::isRemoteEnded))
                .containsExactly(HALF_CLOSED_REMOTE, CLOSED);
    }
}
