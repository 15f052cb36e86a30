package dev.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {

    @Test
    void eachIsAnotherOneAndNobodyListensThere() {
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            int port = Ports.unused();
            assertThat(seen.add(port)).isTrue();
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(ConnectException.class);
        }
    }
}
