package dev.sallyport.it.dns;

import static dev.sallyport.testsupport.DnsClient.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.DnsClient;
import dev.sallyport.testsupport.DnsClient.Ask;
import dev.sallyport.testsupport.DnsClient.Message;
import dev.sallyport.testsupport.Patience;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/spec/decisions.md, section 11: what is refused, malformed, or not answered at all; EDNS0. */
class DnsRefusalsTest {

    private static final int FORMERR = 1;
    private static final int NOTIMP = 4;
    private static final int REFUSED = 5;
    private static final int BADVERS = 16;

    @TempDir
    Path folder;

    private static Ask question() {
        return ask("any.example", "A");
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of("class CHAOS", question().qclass(3).bytes(), REFUSED),
                Arguments.of("class ANY", question().qclass(255).bytes(), REFUSED),
                Arguments.of("zone transfer", ask("any.example", "AXFR").bytes(), REFUSED),
                Arguments.of("incremental transfer", ask("any.example", "IXFR").bytes(), REFUSED),
                Arguments.of("opcode IQUERY", question().flags(1 << 11).bytes(), NOTIMP),
                Arguments.of("opcode STATUS", question().flags(2 << 11).bytes(), NOTIMP),
                Arguments.of("opcode NOTIFY", question().flags(4 << 11).bytes(), NOTIMP),
                Arguments.of("opcode UPDATE", question().flags(5 << 11).bytes(), NOTIMP),
                Arguments.of("no question", question().questions(0).bytes(), FORMERR),
                Arguments.of("two questions", question().questions(2).bytes(), FORMERR),
                Arguments.of("answers in a query", with(question().bytes(), 7, 1), FORMERR),
                Arguments.of("authorities in a query", with(question().bytes(), 9, 1), FORMERR),
                Arguments.of(
                        "a record that is announced and missing",
                        with(question().bytes(), 11, 1),
                        FORMERR),
                Arguments.of("something behind", question().tail((byte) 0).bytes(), FORMERR),
                Arguments.of("cut in the class", cut(question().bytes(), 1), FORMERR),
                Arguments.of("cut in the name", cut(question().bytes(), 8), FORMERR),
                Arguments.of("a header alone", Arrays.copyOf(question().bytes(), 12), FORMERR),
                Arguments.of("a compressed name", with(question().bytes(), 12, 0xC0, 0x0C), FORMERR),
                Arguments.of("a label of another kind", with(question().bytes(), 12, 0x41), FORMERR),
                Arguments.of(
                        "a name over 255 octets",
                        ask("a.".repeat(127) + "bb", "A").bytes(),
                        FORMERR),
                Arguments.of(
                        "over the limit of 512 bytes",
                        question().opt(1232, 0, 0, new byte[500]).bytes(),
                        FORMERR),
                Arguments.of("two OPT records", question().edns(512).edns(512).bytes(), FORMERR),
                Arguments.of(
                        "an option longer than its record",
                        question()
                                .opt(512, 0, 0, (byte) 0, (byte) 10, (byte) 0, (byte) 9)
                                .bytes(),
                        FORMERR),
                Arguments.of("EDNS version 1", question().opt(1232, 1, 0).bytes(), BADVERS));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void refuses(String what, byte[] query, int rcode) throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            for (Message answer :
                    new Message[] {DnsClient.udp(dns.address(), query), DnsClient.tcp(dns.address(), query)}) {
                assertThat(answer.rcode()).isEqualTo(rcode);
                assertThat(answer.id()).isEqualTo(((query[0] & 0xFF) << 8) | (query[1] & 0xFF));
                assertThat(answer.has(0x8000)).isTrue();
                assertThat(answer.answers).isEmpty();
                assertThat(answer.authorities).isEmpty();
            }
            assertThat(dns.stats().queries()).isEqualTo(2);
            assertThat(
                            rcode == REFUSED
                                    ? dns.stats().rejected().refused()
                                    : dns.stats().rejected().malformed())
                    .isEqualTo(2);
        }
    }

    @Test
    void saysNothingToAnswersAndFragments() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1");
                DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(Patience.MILLIS);
            for (byte[] ignored : new byte[][] {
                question().flags(0x8180).id(1).bytes(), new byte[0], new byte[] {1, 2, 3}, new byte[11]
            }) {
                socket.send(new DatagramPacket(ignored, ignored.length, dns.address()));
            }

            // then: the only answer is to the only query
            assertThat(DnsClient.udp(socket, dns.address(), question().id(2).bytes())
                            .id())
                    .isEqualTo(2);
            assertThat(dns.stats().rejected().ignored()).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void answersEdnsWithEdnsAndCopiesDo() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            // when
            byte[] cookie = {0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
            Message plain = dns.ask(question().opt(4096, 0, 0, cookie));
            Message withDo = dns.ask(question().opt(4096, 0, 0x8000));

            // then
            assertThat(plain.additionals).hasToString("[. 0 OPT payload 512]");
            assertThat(withDo.additionals).hasToString("[. 32768 OPT payload 512]");
            assertThat(plain.data()).containsExactly("A 192.0.2.1");
        }
    }

    @Tag("long")
    @Test
    void aQueryOfAnyBytesDoesNoHarm() throws Exception {
        long seed = Long.getLong("sallyport.seed", new Random().nextLong());
        System.out.println("any bytes: seed " + seed);
        Random random = new Random(seed);
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1", "limits: {queries_per_second: 0}");
                DatagramSocket socket = new DatagramSocket()) {
            byte[] valid = question().edns(1232).bytes();
            for (int i = 0; i < 5_000; i++) {
                byte[] query = Arrays.copyOf(valid, 1 + random.nextInt(valid.length + 20));
                for (int change = random.nextInt(4); change > 0; change--) {
                    query[random.nextInt(query.length)] = (byte) random.nextInt();
                }
                socket.send(new DatagramPacket(query, query.length, dns.address()));
                if (i % 50 == 49) { // what the kernel holds without losing any
                    long sent = i + 1L;
                    await().until(() -> dns.stats().queries() == sent);
                }
            }

            // then: what is read meanwhile is an answer like any other
            assertThat(dns.ask("still.example", "A").data()).as("seed %d", seed).containsExactly("A 192.0.2.1");
        }
    }

    private static byte[] with(byte[] message, int at, int... values) {
        for (int i = 0; i < values.length; i++) {
            message[at + i] = (byte) values[i];
        }
        return message;
    }

    private static byte[] cut(byte[] message, int bytes) {
        return ByteBuffer.allocate(message.length - bytes)
                .put(message, 0, message.length - bytes)
                .array();
    }
}
