package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.netty.channel.socket.nio.NioSocketChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The reset of a connection")
class ConnectionResetTest {

    @Test
    @DisplayName("leaves one alone that is closed: its options cannot be set any more")
    void aClosedConnectionStaysAsItIs() {
        NioSocketChannel closed = new NioSocketChannel();
        closed.unsafe().closeForcibly();
        assertThat(closed.isOpen()).isFalse();
        assertThatCode(() -> ConnectionReset.reset(closed)).doesNotThrowAnyException();
    }
}
