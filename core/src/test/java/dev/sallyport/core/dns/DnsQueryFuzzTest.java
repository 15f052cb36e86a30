package dev.sallyport.core.dns;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.DnsSection.RecordType;
import dev.sallyport.core.config.DnsSection.StaticRecord;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.meter.OutcomeTimer;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.testsupport.DnsClient;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DnsQuestion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is asked has one well-formed answer to the same question under the same identifier, no longer than it may be,
 * or, where it is no query, none. What is accepted is the question that Netty's decoder reads too.
 */
class DnsQueryFuzzTest {

    private static final int MOST_UDP = 1232;
    private static final int OPCODE_AND_RD = 0x7900;
    private static final InetSocketAddress SOMEBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 53_000);

    private final DnsCounters counters = new DnsCounters();
    private final Responder responder =
            new Responder(new DefaultEventLoop(), Zone.of(section()), counters, OutcomeTimer.NONE);
    private final EmbeddedChannel netty = new EmbeddedChannel(new DatagramDnsQueryDecoder());

    private static DnsSection section() {
        return new DnsSection(
                true,
                new ListenAddress("127.0.0.1", 0),
                InetAddress.getLoopbackAddress(),
                null,
                null,
                List.of(),
                List.of(
                        new StaticRecord("fixed.test", RecordType.A, "192.0.2.7"),
                        new StaticRecord("fixed.test", RecordType.A, "192.0.2.8"),
                        new StaticRecord("alias.test", RecordType.CNAME, "fixed.test"),
                        new StaticRecord("out.test", RecordType.CNAME, "elsewhere.example")),
                new DnsSection.Limits(
                        0,
                        0,
                        128,
                        256,
                        Duration.ofSeconds(5),
                        new ByteSize(512),
                        new ByteSize(MOST_UDP),
                        256,
                        Duration.ofSeconds(10)));
    }

    static Stream<Arguments> seeds() {
        return new Seeds()
                        .add("A", DnsClient.ask("a.test", "A").id(7).bytes())
                        .add(
                                "AAAA",
                                DnsClient.ask("a.test", "AAAA").id(7).edns(4096).bytes())
                        .add("HTTPS", DnsClient.ask("fixed.test", "HTTPS").id(7).bytes())
                        .add(
                                "a fixed name",
                                DnsClient.ask("Fixed.Test", "A").id(7).bytes())
                        .add(
                                "an alias",
                                DnsClient.ask("alias.test", "ANY")
                                        .id(7)
                                        .edns(512)
                                        .bytes())
                        .add(
                                "an alias to elsewhere",
                                DnsClient.ask("out.test", "CNAME").id(7).bytes())
                        .add("the root", DnsClient.ask("", "NS").id(7).bytes())
                        .add(
                                "a zone transfer",
                                DnsClient.ask("a.test", "AXFR").id(7).bytes())
                        .add(
                                "an option",
                                DnsClient.ask("a.test", "A")
                                        .id(7)
                                        .opt(1232, 0, 0x8000, (byte) 0, (byte) 10, (byte) 0, (byte) 1, (byte) 9)
                                        .bytes())
                        .add(
                                "another version",
                                DnsClient.ask("a.test", "A")
                                        .id(7)
                                        .opt(1232, 1, 0)
                                        .bytes())
                        .add(
                                "two OPT records",
                                DnsClient.ask("a.test", "A")
                                        .id(7)
                                        .edns(512)
                                        .edns(512)
                                        .bytes())
                        .add(
                                "another class",
                                DnsClient.ask("a.test", "TXT").id(7).qclass(3).bytes())
                        .add(
                                "another opcode",
                                DnsClient.ask("a.test", "SOA")
                                        .id(7)
                                        .flags(0x2800)
                                        .bytes())
                        .add(
                                "an answer",
                                DnsClient.ask("a.test", "A").id(7).flags(0x8180).bytes())
                        .add(
                                "no question",
                                DnsClient.ask("a.test", "A").id(7).questions(0).bytes())
                        .add(
                                "two questions",
                                DnsClient.ask("a.test", "A").id(7).questions(2).bytes())
                        .add(
                                "more than it says",
                                DnsClient.ask("a.test", "A")
                                        .id(7)
                                        .tail((byte) 1)
                                        .bytes())
                        .add(
                                "a long name",
                                DnsClient.ask("a.".repeat(126) + "a", "A").id(7).bytes())
                        .add(
                                "a name too long",
                                DnsClient.ask("a.".repeat(127) + "a", "A").id(7).bytes())
                        .add("a pointer", new byte[] {0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, (byte) 0xc0, 12, 0, 1, 0, 1})
                        .add("a header", new byte[] {0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
                        .stream();
    }

    @DictionaryEntries({
        "\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00",
        "\\x00\\x00\\x29\\x04\\xd0\\x00\\x00\\x00\\x00\\x00\\x00",
        "\\x05fixed\\x04test\\x00",
        "\\x05alias\\x04test\\x00",
        "\\x03out\\x04test\\x00",
        "\\x00\\x01\\x00\\x01",
        "\\x00\\x1c\\x00\\x01",
        "\\x00\\xff\\x00\\x01",
        "\\xc0\\x0c",
        "\\x00\\x29"
    })
    @MethodSource("seeds")
    @FuzzTest
    void everyQueryHasOneGoodAnswer(byte[] data) {
        byte[] plain = answer(data, false);
        byte[] connected = answer(data, true);

        boolean query = data.length >= 12 && (data[2] & 0x80) == 0;
        assertThat(plain != null).isEqualTo(query);
        assertThat(connected != null).isEqualTo(query);
        if (plain != null && connected != null) {
            Query read = new Query(512);
            Query.Reading reading = read.read(Unpooled.wrappedBuffer(data));
            check(data, read, reading, plain, Math.min(MOST_UDP, read.payload()));
            check(data, read, reading, connected, DnsProtocol.MAX_MESSAGE);
            if (reading == Query.Reading.QUESTION) {
                agrees(data, read);
            }
        }
    }

    private static void check(byte[] asked, Query query, Query.Reading reading, byte[] answer, int limit) {
        assertThat(answer.length).isLessThanOrEqualTo(limit);
        DnsClient.Message message = new DnsClient.Message(answer);
        assertThat(message.id()).isEqualTo(DnsProtocol.u16(asked, 0));
        assertThat(message.flags() & OPCODE_AND_RD).isEqualTo(DnsProtocol.u16(asked, 2) & OPCODE_AND_RD);
        assertThat(message.has(DnsProtocol.QR)).isTrue();
        assertThat(message.has(DnsProtocol.TC)).as("nothing here is that long").isFalse();
        assertThat(message.rcode())
                .isIn(
                        switch (reading) {
                            case QUESTION -> List.of(DnsProtocol.NOERROR, DnsProtocol.REFUSED);
                            case MALFORMED -> List.of(DnsProtocol.FORMERR);
                            case OTHER_OPCODE -> List.of(DnsProtocol.NOTIMP);
                            case OTHER_CLASS -> List.of(DnsProtocol.REFUSED);
                            case OTHER_EDNS -> List.of(DnsProtocol.BADVERS);
                            case NOTHING -> List.of();
                        });
        if (query.hasQuestion()) {
            int end = query.questionEnd();
            assertThat(Arrays.copyOfRange(answer, 12, end)).isEqualTo(Arrays.copyOfRange(asked, 12, end));
        }
        assertThat(message.additionals).hasSize(query.edns() ? 1 : 0);
        assertThat(message.answers)
                .allSatisfy(record -> assertThat(record.ttl()).isEqualTo(60));
    }

    private void agrees(byte[] data, Query read) {
        DatagramDnsQuery query;
        try {
            netty.writeInbound(new DatagramPacket(Unpooled.copiedBuffer(data), SOMEBODY, SOMEBODY));
            query = netty.readInbound();
        } catch (DecoderException e) {
            return;
        }
        try {
            DnsQuestion question = query.recordAt(io.netty.handler.codec.dns.DnsSection.QUESTION);
            assertThat(query.id()).isEqualTo(read.id());
            assertThat(question.type().intValue()).isEqualTo(read.type());
            assertThat(question.dnsClass()).isEqualTo(DnsProtocol.IN);
            String name = question.name().toLowerCase(Locale.ROOT);
            // Of anything else Netty makes A-labels.
            if (read.name().chars().allMatch(c -> c > ' ' && c < 0x7F)) {
                assertThat(read.name() + ".").isEqualTo(name);
            }
        } finally {
            query.release();
        }
    }

    private byte @Nullable [] answer(byte[] data, boolean overTcp) {
        List<byte[]> answers = new ArrayList<>();
        ByteBuf message = Unpooled.wrappedBuffer(data);
        responder.take(message, new QuerySource() {
            @Override
            public InetAddress address() {
                return SOMEBODY.getAddress();
            }

            @Override
            public boolean overTcp() {
                return overTcp;
            }

            @Override
            public void send(DnsReply reply) {
                answers.add(Arrays.copyOf(reply.bytes(), reply.position()));
            }
        });
        assertThat(answers.size()).isLessThanOrEqualTo(1);
        return answers.isEmpty() ? null : answers.getFirst();
    }
}
