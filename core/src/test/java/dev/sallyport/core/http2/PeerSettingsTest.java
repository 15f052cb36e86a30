package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.sallyport.core.http2.PeerSettings.Peer;
import io.netty.handler.codec.http2.Http2Error;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The settings of a peer (RFC 9113, 6.5.2)")
class PeerSettingsTest {

    private static final long TOO_MUCH = 1L << 31;

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(Peer.CLIENT, FrameWriter.SETTINGS_ENABLE_PUSH, 2L, Http2Error.PROTOCOL_ERROR),
                arguments(Peer.SERVER, FrameWriter.SETTINGS_ENABLE_PUSH, 1L, Http2Error.PROTOCOL_ERROR),
                arguments(
                        Peer.CLIENT, FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE, TOO_MUCH, Http2Error.FLOW_CONTROL_ERROR),
                arguments(Peer.SERVER, FrameWriter.SETTINGS_MAX_FRAME_SIZE, 16_383L, Http2Error.PROTOCOL_ERROR),
                arguments(Peer.SERVER, FrameWriter.SETTINGS_MAX_FRAME_SIZE, 1L << 24, Http2Error.PROTOCOL_ERROR),
                arguments(Peer.SERVER, FrameWriter.SETTINGS_ENABLE_CONNECT_PROTOCOL, 2L, Http2Error.PROTOCOL_ERROR));
    }

    @ParameterizedTest(name = "{0}: setting {1} = {2} is {3}")
    @MethodSource("refused")
    @DisplayName("end the connection when a value is out of range")
    void endTheConnection(Peer peer, int id, long value, Http2Error code) {
        PeerSettings settings = new PeerSettings(peer);

        ConnectionErrorException error =
                catchThrowableOfType(ConnectionErrorException.class, () -> settings.set(id, value));

        assertThat(error.code()).isEqualTo(code);
    }

    @Test
    @DisplayName("have the initial values of the protocol before any frame")
    void haveInitialValues() {
        PeerSettings settings = new PeerSettings(Peer.SERVER);

        assertThat(settings.initialWindow()).isEqualTo(65_535);
        assertThat(settings.maxConcurrentStreams()).isEqualTo(Integer.MAX_VALUE);
        assertThat(settings.maxHeaderListBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(settings.connectProtocol()).isFalse();
    }

    @Test
    @DisplayName("are those of the last frame; unknown ones are ignored")
    void areThoseOfTheLastFrame() throws Exception {
        PeerSettings settings = new PeerSettings(Peer.SERVER);
        settings.set(FrameWriter.SETTINGS_ENABLE_PUSH, 0);
        settings.set(FrameWriter.SETTINGS_MAX_CONCURRENT_STREAMS, 7);
        settings.set(FrameWriter.SETTINGS_MAX_CONCURRENT_STREAMS, 0xffff_ffffL);
        settings.set(FrameWriter.SETTINGS_MAX_HEADER_LIST_SIZE, 9000);
        settings.set(FrameWriter.SETTINGS_ENABLE_CONNECT_PROTOCOL, 1);
        settings.set(0x99, 12);

        assertThat(settings.maxConcurrentStreams()).isEqualTo(Integer.MAX_VALUE);
        assertThat(settings.maxHeaderListBytes()).isEqualTo(9000);
        assertThat(settings.connectProtocol()).isTrue();
    }

    @Test
    @DisplayName("change the windows of open streams by the difference, once")
    void changeWindowsOnce() throws Exception {
        PeerSettings settings = new PeerSettings(Peer.CLIENT);
        settings.set(FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE, 10);
        settings.set(FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE, 65_000);

        assertThat(settings.takeWindowChange()).isEqualTo(65_000 - 65_535);
        assertThat(settings.takeWindowChange()).isZero();
        assertThat(settings.initialWindow()).isEqualTo(65_000);
    }
}
