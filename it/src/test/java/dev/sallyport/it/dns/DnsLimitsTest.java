package dev.sallyport.it.dns;

import static dev.sallyport.testsupport.DnsClient.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.DnsClient;
import dev.sallyport.testsupport.DnsClient.Message;
import dev.sallyport.testsupport.DnsClient.Tcp;
import dev.sallyport.testsupport.Patience;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds: of answers, of clients, of connections. */
class DnsLimitsTest {

    @TempDir
    Path folder;

    @Test
    void cutsShortOverUdpWhatTheClientDoesNotTake() throws Exception {
        List<String> lines = new ArrayList<>(List.of("proxy_ip: 192.0.2.1", "records:"));
        for (int i = 1; i <= 60; i++) {
            lines.add("- {name: many.test, type: A, value: 192.0.2." + i + "}");
        }
        try (Steering dns = Steering.start(folder, lines.toArray(String[]::new))) {
            // 27 bytes of header and question, 16 a record
            Message plain = dns.ask("many.test", "A");
            assertThat(plain.has(0x0200)).as("TC").isTrue();
            assertThat(plain.answers).isEmpty();
            assertThat(plain.question).isEqualTo("many.test. A 1");
            assertThat(plain.bytes.length).isLessThanOrEqualTo(512);

            Message small = dns.ask(ask("many.test", "A").edns(900));
            assertThat(small.has(0x0200)).isTrue();
            assertThat(small.additionals).hasSize(1);

            Message large = dns.ask(ask("many.test", "A").edns(1232));
            assertThat(large.has(0x0200)).isFalse();
            assertThat(large.answers).hasSize(60);

            Message retried = dns.askOverTcp(ask("many.test", "A"));
            assertThat(retried.has(0x0200)).isFalse();
            assertThat(retried.answers).hasSize(60);

            assertThat(dns.stats().answered().truncated()).isEqualTo(2);
        }
    }

    @Test
    void keepsToTheConfiguredLengthWhateverTheClientTakes() throws Exception {
        List<String> lines =
                new ArrayList<>(List.of("proxy_ip: 192.0.2.1", "limits: {udp_response_bytes: 600}", "records:"));
        for (int i = 1; i <= 40; i++) {
            lines.add("- {name: many.test, type: A, value: 192.0.2." + i + "}");
        }
        try (Steering dns = Steering.start(folder, lines.toArray(String[]::new))) {
            assertThat(dns.ask(ask("many.test", "A").edns(4096)).has(0x0200)).isTrue();
        }
    }

    @Test
    void answersNothingToAClientOverItsRate() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1", "limits: {queries_per_second: 1}");
                DatagramSocket greedy = new DatagramSocket();
                DatagramSocket other = new DatagramSocket(0, InetAddress.getByName("127.0.0.2"))) {
            byte[] query = ask("x.example", "A").bytes();

            // when
            for (int i = 0; i < 20; i++) {
                greedy.send(new DatagramPacket(query, query.length, dns.address()));
            }
            await().until(() -> dns.stats().queries() == 20);

            // then
            assertThat(dns.stats().rejected().limited()).isGreaterThanOrEqualTo(15);
            other.setSoTimeout(Patience.MILLIS);
            assertThat(DnsClient.udp(other, dns.address(), query).data()).containsExactly("A 192.0.2.1");
            assertThat(dns.askOverTcp(ask("x.example", "A")).rcode())
                    .as("REFUSED")
                    .isEqualTo(5);
        }
    }

    @Test
    void takesManyQueriesOverOneConnection() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1");
                Tcp connection = new Tcp(dns.address())) {
            connection.send(
                    ask("a.example", "A").id(1).bytes(),
                    ask("b.example", "HTTPS").id(2).bytes(),
                    ask("c.example", "A").id(3).bytes());

            assertThat(List.of(
                            connection.receive().id(),
                            connection.receive().id(),
                            connection.receive().id()))
                    .containsExactlyInAnyOrder(1, 2, 3);
            assertThat(dns.stats().overTcp()).isEqualTo(3);
        }
    }

    @Test
    void readsAQueryThatComesInPieces() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1");
                Tcp connection = new Tcp(dns.address())) {
            byte[] query = ask("a.example", "A").bytes();
            connection.socket.setTcpNoDelay(true);
            connection.socket.getOutputStream().write(0);
            connection.socket.getOutputStream().write(query.length);
            for (byte octet : query) {
                connection.socket.getOutputStream().write(octet);
            }

            assertThat(connection.receive().data()).containsExactly("A 192.0.2.1");
        }
    }

    @Test
    void closesWhatIsTooLongOrTooShortOnTcp() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            try (Tcp connection = new Tcp(dns.address())) {
                connection.send(
                        ask("a.example", "A").opt(512, 0, 0, new byte[600]).bytes());
                assertThat(connection.receive().rcode()).isEqualTo(1);
                assertThat(connection.read()).isEqualTo(-1);
            }
            try (Tcp connection = new Tcp(dns.address())) {
                connection.send(new byte[3]);
                assertThat(connection.read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void closesIdleConnections() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1", "limits: {tcp_idle_timeout: 50ms}");
                Tcp silent = new Tcp(dns.address());
                Tcp unfinished = new Tcp(dns.address())) {
            unfinished.socket.getOutputStream().write(0);

            assertThat(silent.read()).isEqualTo(-1);
            assertThat(unfinished.read()).isEqualTo(-1);
        }
    }

    @Test
    void oneClientTakesAnEighthOfTheConnections() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1", "limits: {tcp_connections: 16}");
                Tcp one = new Tcp(dns.address());
                Tcp two = new Tcp(dns.address())) {
            one.send(ask("a.example", "A").bytes()).receive();
            two.send(ask("a.example", "A").bytes()).receive();

            try (Tcp three = new Tcp(dns.address())) {
                assertThat(three.read()).isEqualTo(-1);
            }
            one.close();
            await().untilAsserted(() ->
                    assertThat(dns.askOverTcp(ask("a.example", "A")).rcode()).isZero());
        }
    }

    @Test
    void stopsReadingFromAClientThatDoesNotRead() throws Exception {
        try (Steering dns = Steering.start(
                        folder, "proxy_ip: 192.0.2.1", "limits: {queries_per_second: 0, tcp_idle_timeout: 200ms}");
                Tcp connection = new Tcp(dns.address())) {
            byte[] query = ask("any.example", "TXT").bytes();
            byte[] framed = new byte[query.length + 2];
            framed[1] = (byte) query.length;
            System.arraycopy(query, 0, framed, 2, query.length);

            // when: more is sent than all buffers hold, then: the server gives up
            boolean closed = false;
            for (int i = 0; i < 2_000_000 && !closed; i++) {
                try {
                    connection.socket.getOutputStream().write(framed);
                } catch (java.net.SocketException e) {
                    closed = true;
                }
            }
            assertThat(closed).isTrue();
            assertThat(dns.ask("still.example", "A").rcode()).isZero();
        }
    }
}
