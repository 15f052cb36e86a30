package dev.sallyport.it.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.ClientHelloBuilder;
import dev.sallyport.testsupport.DnsClient;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Much of everything that a client can ask for, against a heap of 256 MiB: the process lives, and answers others. With {@code
 * -Dsallyport.attack=long} ten times as much.
 */
class FloodTest {

    private static final int TIMES = "long".equals(System.getProperty("sallyport.attack")) ? 10 : 1;

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void certificatesForManyNames() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < Math.min(2000, 1000 * TIMES); i++) {
                new Wire(proxy.attack(proxy.https()))
                        .send(ClientHelloBuilder.naming("n" + i + ".example").bytes());
            }

            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    @Test
    @Tag("long")
    void questionsForManyNames() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m");
                DatagramSocket client = new DatagramSocket(0, InetAddress.getByName("127.0.0.2"))) {
            for (int i = 0; i < 20_000 * TIMES; i++) {
                byte[] question = DnsClient.numbered(i);
                client.send(new DatagramPacket(question, question.length, proxy.dns()));
            }

            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    @Test
    @Tag("long")
    void tunnelsInWhichNothingIsSaid() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < 2000; i++) {
                Wire client = new Wire(proxy.attack(proxy.tunnel()));
                client.send(Wire.head("CONNECT n" + i + ".example:443 HTTP/1.1", "Host: n" + i + ".example:443"));
                client.send(new byte[] {0x16, 0x03, 0x01, 0x40, 0x00, 0x01});
            }

            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    @Tag("long")
    @Test
    void headsOfResponsesThatNobodyTakes() throws Exception {
        String head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n"
                + ("X-Long: " + "x".repeat(1000) + "\r\n").repeat(58) + "\r\n";
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head);
                    Thread.sleep(Duration.ofMinutes(10)); // The connection stays open until the origin is closed.
                });
                Attacked proxy = Attacked.start(folder, "-Xmx256m", "-Dattacked.buffered=1MiB")) {
            for (int i = 0; i < 60; i++) {
                new Wire(proxy.attack(proxy.http()))
                        .send(Wire.head("GET / HTTP/1.1", "Host: open.localhost:" + origin.port()));
            }

            await().atMost(Patience.usual())
                    .untilAsserted(() -> assertThat(proxy.records()).containsKey("error/503/overloaded"));
            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }
}
