package dev.sallyport.it.dns;

import static dev.sallyport.testsupport.DnsClient.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.DnsClient.Message;
import dev.sallyport.testsupport.DnsClient.Tcp;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestDnsServer;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 11: names that are passed through, by a real upstream on loopback. */
class DnsPassthroughTest {

    private static final int SERVFAIL = 2;
    private static final int REFUSED = 5;

    @TempDir
    Path folder;

    private final TestDnsServer upstream = new TestDnsServer();

    @AfterEach
    void close() {
        upstream.close();
    }

    private Steering start(String... more) throws Exception {
        String[] lines = {
            "proxy_ip: 192.0.2.1",
            "upstream_resolver: 127.0.0.1:" + upstream.address().getPort(),
            "passthrough: ['*.corp.test']"
        };
        String[] all = Arrays.copyOf(lines, lines.length + more.length);
        System.arraycopy(more, 0, all, lines.length, more.length);
        return Steering.start(folder, all);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            db.corp.test   | A     | A 203.0.113.5
            DB.Corp.test   | A     | A 203.0.113.5
            db.corp.test   | AAAA  | AAAA 20010db8000000000000000000000005
            corp.test      | A     | A 203.0.113.6
            xcorp.test     | A     | A 192.0.2.1
            corp.test.evil | A     | A 192.0.2.1
            """)
    void passesTheNamesOfThePatternsAndNoOthers(String name, String type, String expected) throws Exception {
        upstream.address("db.corp.test", "203.0.113.5", 17)
                .address("DB.Corp.test", "203.0.113.5", 17)
                .address("db.corp.test", "2001:db8::5", 17)
                .address("corp.test", "203.0.113.6", 17);
        try (Steering dns = start()) {
            Message answer = dns.ask(ask(name, type).id(77));

            assertThat(answer.data()).containsExactly(expected);
            assertThat(answer.id()).isEqualTo(77);
            assertThat(answer.question).startsWith(name + ". ");
            assertThat(answer.has(0x0400)).as("AA").isEqualTo(expected.contains("192.0.2.1"));
        }
    }

    @Test
    void relaysEveryTypeAndEveryCode() throws Exception {
        upstream.alias("alias.corp.test", "db.corp.test").fail("broken.corp.test", DnsResponseCode.SERVFAIL);
        try (Steering dns = start()) {
            assertThat(dns.ask("alias.corp.test", "TXT").data()).containsExactly("CNAME db.corp.test.");
            assertThat(dns.ask("none.corp.test", "HTTPS").rcode())
                    .as("NXDOMAIN")
                    .isEqualTo(3);
            assertThat(dns.ask("broken.corp.test", "A").rcode()).isEqualTo(SERVFAIL);
            assertThat(upstream.asked)
                    .contains("udp TXT alias.corp.test.", "udp HTTPS none.corp.test.", "udp A broken.corp.test.");
            assertThat(dns.stats().answered().passed()).isEqualTo(3);
        }
    }

    @Test
    void takesAnAnswerWithoutEdnsToAQueryWithIt() throws Exception {
        try (Steering dns = start()) {
            Message answer = dns.ask(ask("none.corp.test", "A").edns(1232));

            assertThat(answer.rcode()).isEqualTo(3);
            assertThat(answer.additionals).hasSize(1);
        }
    }

    @Test
    void staticRecordsWinOverPassthrough() throws Exception {
        upstream.address("db.corp.test", "203.0.113.5", 17).address("real.corp.test", "203.0.113.7", 17);
        try (Steering dns = start(
                "records: [{name: db.corp.test, type: A, value: 192.0.2.44}, {name: to.test, type: CNAME, value: real.corp.test}, {name: gone.test, type: CNAME, value: none.corp.test}]")) {
            assertThat(dns.ask("db.corp.test", "A").data()).containsExactly("A 192.0.2.44");
            // a target outside the static set is answered like any other name
            assertThat(dns.ask("to.test", "A").answers)
                    .hasToString("[to.test. 60 CNAME real.corp.test., real.corp.test. 17 A 203.0.113.7]");
            assertThat(dns.ask("gone.test", "A").rcode()).isEqualTo(3);
            assertThat(dns.ask("gone.test", "A").data()).containsExactly("CNAME none.corp.test.");
        }
    }

    @Test
    void asksOverTcpWhatUdpCutShort() throws Exception {
        upstream.truncate("big.corp.test");
        for (int i = 1; i <= 100; i++) {
            upstream.address("big.corp.test", "203.0.113." + i, 9);
        }
        try (Steering dns = start()) {
            assertThat(dns.askOverTcp(ask("big.corp.test", "A")).answers).hasSize(100);
            Message cut = dns.ask(ask("big.corp.test", "A").edns(1232));
            assertThat(cut.has(0x0200)).isTrue();
            assertThat(cut.answers).isEmpty();
            assertThat(upstream.asked).contains("tcp A big.corp.test.");
        }
    }

    @Tag("long")
    @Test
    void asksAgainWhenAPacketIsLostAndFailsInTheEnd() throws Exception {
        upstream.address("lossy.corp.test", "203.0.113.5", 9)
                .drop("lossy.corp.test", 1)
                .empty("mute.corp.test")
                .drop("mute.corp.test", 1000);
        try (Steering dns = start("limits: {passthrough_timeout: 3s}")) {
            assertThat(dns.ask("lossy.corp.test", "A").data()).containsExactly("A 203.0.113.5");
            assertThat(dns.ask("mute.corp.test", "A").rcode()).isEqualTo(SERVFAIL);
            assertThat(dns.stats().failed()).isEqualTo(1);
        }
    }

    @Test
    void failsWhereNobodyListens() throws Exception {
        int free = Ports.unused();
        try (Steering dns = Steering.start(
                folder, "proxy_ip: 192.0.2.1", "passthrough: ['*']", "upstream_resolver: 127.0.0.1:" + free)) {
            assertThat(dns.ask("db.corp.test", "A").rcode()).isEqualTo(SERVFAIL);
        }
    }

    @Test
    void refusesNamesThatAreTooLongToBePassedOn() throws Exception {
        try (Steering dns = start("limits: {passthrough_name_length: 32}")) {
            assertThat(dns.ask("a".repeat(23) + ".corp.test", "A").rcode()).isEqualTo(REFUSED);
            assertThat(dns.ask("a".repeat(22) + ".corp.test", "A").rcode()).isEqualTo(3);
            assertThat(upstream.asked).hasSize(1);
        }
    }

    @Test
    void limitsWhatOneClientHasPassedOn() throws Exception {
        try (Steering dns = start("limits: {passthrough_per_second: 1}")) {
            int refused = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                refused += dns.ask("n" + i + ".corp.test", "A").rcode() == REFUSED ? 1 : 0;
            }
            long refilled = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            assertThat(10 - refused).isLessThanOrEqualTo(5 + (int) refilled);
            assertThat(refused).isPositive();
            assertThat(dns.ask("other.example", "A").rcode()).isZero();
        }
    }

    @Test
    void capsWhatIsUnderWayForOneClient() throws Exception {
        upstream.empty("mute.corp.test").drop("mute.corp.test", 1000);
        try (Steering dns = start("limits: {passthrough_queries: 8, passthrough_timeout: 60s}");
                Tcp client = new Tcp(dns.address())) {
            byte[] query = ask("mute.corp.test", "A").bytes();
            client.send(query, query, query);

            // then: two of eight are one client's, the third fails at once
            assertThat(client.receive().rcode()).isEqualTo(SERVFAIL);
            await().until(() -> upstream.asked.size() == 2);
        }
    }

    @Test
    void asksWithoutTheClientsOptionsUnderAnIdentifierOfItsOwn() throws Exception {
        try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                Steering dns = Steering.start(
                        folder,
                        "proxy_ip: 192.0.2.1",
                        "passthrough: ['*']",
                        "upstream_resolver: 127.0.0.1:" + server.getLocalPort());
                DatagramSocket client = new DatagramSocket()) {
            server.setSoTimeout(Patience.MILLIS);
            byte[] cookie = {0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
            byte[] query = ask("a.test", "A")
                    .flags(0x0130)
                    .opt(4096, 0, 0x8000, cookie)
                    .bytes();

            // when
            client.send(new DatagramPacket(query, query.length, dns.address()));
            DatagramPacket asked = new DatagramPacket(new byte[512], 512);
            server.receive(asked);

            // then
            Message message = new Message(Arrays.copyOf(asked.getData(), asked.getLength()));
            assertThat(message.question).isEqualTo("a.test. A 1");
            assertThat(message.flags()).as("RD and CD").isEqualTo(0x0110);
            assertThat(message.additionals).hasToString("[. 32768 OPT payload 1232]");
            assertThat(asked.getLength()).isEqualTo(12 + 8 + 4 + 11);
            assertThat(asked.getPort()).isNotEqualTo(dns.address().getPort());
        }
    }

    /** What comes from elsewhere, or answers another question, is as if it had not come. */
    @Test
    void believesOnlyTheAnswerToItsQuestion() throws Exception {
        try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                DatagramSocket stranger = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                Steering dns = Steering.start(
                        folder,
                        "proxy_ip: 192.0.2.1",
                        "passthrough: ['*']",
                        "upstream_resolver: 127.0.0.1:" + server.getLocalPort());
                DatagramSocket client = new DatagramSocket()) {
            server.setSoTimeout(Patience.MILLIS);
            client.setSoTimeout(Patience.MILLIS);
            byte[] query = ask("a.test", "A").id(5).bytes();
            client.send(new DatagramPacket(query, query.length, dns.address()));
            DatagramPacket asked = new DatagramPacket(new byte[512], 512);
            server.receive(asked);
            byte[] question = Arrays.copyOf(asked.getData(), asked.getLength());

            // when
            send(stranger, asked, answer(question, 66, bytes -> bytes));
            send(server, asked, answer(question, 67, bytes -> with(bytes, 0, bytes[0] ^ 1)));
            send(server, asked, answer(question, 68, bytes -> with(bytes, 13, 'b')));
            send(server, asked, answer(question, 69, bytes -> with(bytes, 21, 28)));
            send(server, asked, answer(question, 70, bytes -> with(bytes, 2, 0)));
            send(server, asked, answer(question, 71, bytes -> with(bytes, 5, 2)));
            send(server, asked, Arrays.copyOf(question, 11));
            send(server, asked, answer(question, 9, bytes -> with(bytes, 13, 'A')));

            // then
            DatagramPacket received = new DatagramPacket(new byte[512], 512);
            client.receive(received);
            Message message = new Message(Arrays.copyOf(received.getData(), received.getLength()));
            assertThat(message.id()).isEqualTo(5);
            assertThat(message.question).isEqualTo("a.test. A 1");
            assertThat(message.data()).containsExactly("A 203.0.113.9");
        }
    }

    /** In front of whoever asks as behind an alias. */
    @ParameterizedTest
    @CsvSource({
        "a pointer to itself, x.test, 24",
        "a pointer ahead, x.test, 40",
        "a pointer into the header, x.test, 2",
        "a pointer to itself, a.test, 24",
        "a pointer ahead, a.test, 40",
        "a pointer into the header, a.test, 2"
    })
    void failsOnMalformedRecords(String what, String name, int target) throws Exception {
        try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                Steering dns = Steering.start(
                        folder,
                        "proxy_ip: 192.0.2.1",
                        "passthrough: ['*']",
                        "records: [{name: x.test, type: CNAME, value: a.test}]",
                        "upstream_resolver: 127.0.0.1:" + server.getLocalPort());
                DatagramSocket client = new DatagramSocket()) {
            server.setSoTimeout(Patience.MILLIS);
            client.setSoTimeout(Patience.MILLIS);
            byte[] query = ask(name, "A").bytes();
            client.send(new DatagramPacket(query, query.length, dns.address()));
            DatagramPacket asked = new DatagramPacket(new byte[512], 512);
            server.receive(asked);
            byte[] question = Arrays.copyOf(asked.getData(), asked.getLength());

            send(server, asked, answer(question, 9, bytes -> with(bytes, question.length + 1, target)));

            DatagramPacket received = new DatagramPacket(new byte[512], 512);
            client.receive(received);
            Message answer = new Message(Arrays.copyOf(received.getData(), received.getLength()));
            assertThat(answer.rcode()).as(what).isEqualTo(SERVFAIL);
            assertThat(answer.answers).isEmpty();
        }
    }

    /** One A record, 203.0.113.{@code last}, to a question; then spoilt. */
    private static byte[] answer(byte[] question, int last, UnaryOperator<byte[]> change) {
        byte[] record = {(byte) 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, (byte) 203, 0, 113, (byte) last};
        byte[] bytes = Arrays.copyOf(question, question.length + record.length);
        System.arraycopy(record, 0, bytes, question.length, record.length);
        with(bytes, 2, 0x81);
        with(bytes, 3, 0x80);
        with(bytes, 7, 1);
        return change.apply(bytes);
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        bytes[at] = (byte) value;
        return bytes;
    }

    private static void send(DatagramSocket from, DatagramPacket to, byte[] bytes) throws Exception {
        from.send(new DatagramPacket(bytes, bytes.length, to.getSocketAddress()));
    }
}
