package dev.sallyport.server.run.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.linux.UnavailableException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class JailTest {

    /** The kernel drops what comes while the packet socket is full, the mark of the end included. */
    @Test
    void a_flood_of_refusals_does_not_hide_the_end() throws Exception {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (Jail jail = Jail.make(Set.of(80))) {
            try {
                jail.sockets();
            } catch (UnavailableException e) {
                assumeTrue(false, "needs network namespaces: " + e.getMessage());
            }
            String flood = """
                    import socket
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    for i in range(20000):
                        s.sendto(b'x' * 60, ('192.0.2.7', 9))
                    """;
            Process process = jail.start(new ProcessBuilder("python3", "-c", flood).inheritIO());
            assertThat(process.waitFor()).isZero();
            jail.watch(packet -> {
                if (seen.add(packet.toString())) {
                    pause(); // the socket is still full when the first mark comes
                }
            });

            jail.settle();
        }
        assertThat(seen).containsExactly("udp 192.0.2.7:9");
    }

    private static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
