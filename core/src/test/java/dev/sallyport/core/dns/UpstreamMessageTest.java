package dev.sallyport.core.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.DnsClient;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of upstreams, of any bytes: they are read or refused, and what is made of them is well-formed. */
class UpstreamMessageTest {

    private static final int ROUNDS = 100_000;
    private static final byte[] NAME = {(byte) 0xC0, 12};
    private static final byte[] UNDER = {2, 'm', 'x', (byte) 0xC0, 12};

    private final Query query = new Query(512);
    private final DnsReply reply = new DnsReply();

    /** Compressed names in owners and in the data of every type that may hold them, and an OPT record. */
    private static byte[] valid() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int field : new int[] {0x1234, 0x8180, 1, 5, 1, 1}) {
            DnsClient.put16(out, field);
        }
        out.writeBytes(DnsClient.wire("a.test"));
        DnsClient.put16(out, 15);
        DnsClient.put16(out, 1);
        record(out, NAME, 5, UNDER);
        record(out, UNDER, 15, new byte[] {0, 10}, UNDER);
        record(out, UNDER, 33, new byte[6], NAME);
        record(out, UNDER, 1, new byte[] {(byte) 203, 0, 113, 9});
        record(out, UNDER, 16, new byte[] {3, 'x', 'y', 'z'});
        record(out, NAME, 6, NAME, UNDER, new byte[20]);
        out.writeBytes(new byte[] {0, 0, 41, 2, 0, 0, 0, 0, 0, 0, 0});
        return out.toByteArray();
    }

    private static void record(ByteArrayOutputStream out, byte[] owner, int type, byte[]... data) {
        out.writeBytes(owner);
        DnsClient.put16(out, type);
        DnsClient.put16(out, 1);
        DnsClient.put16(out, 0);
        DnsClient.put16(out, 9);
        DnsClient.put16(out, Arrays.stream(data).mapToInt(part -> part.length).sum());
        for (byte[] part : data) {
            out.writeBytes(part);
        }
    }

    @Test
    void writesNamesOut() {
        query.read(Unpooled.wrappedBuffer(DnsClient.ask("a.test", "MX").bytes()));

        DnsClient.Message made = expand(valid());

        assertThat(made.answers)
                .hasToString("[a.test. 9 CNAME mx.a.test., mx.a.test. 9 MX 10 mx.a.test.,"
                        + " mx.a.test. 9 SRV 0000000000000161047465737400,"
                        + " mx.a.test. 9 A 203.0.113.9, mx.a.test. 9 TXT 0378797a]");
        assertThat(made.authorities).hasToString("[a.test. 9 SOA a.test. mx.a.test. 0]");
        assertThat(made.additionals).isEmpty();
    }

    private DnsClient.Message expand(byte[] message) {
        UpstreamMessage found = UpstreamMessage.read(message, query.questionEnd());
        assertThat(found).isNotNull();
        reply.begin(query, 0, 0);
        found.appendExpandedTo(reply, query.questionEnd());
        reply.end(query, 0, 512, DnsProtocol.MAX_MESSAGE);
        return new DnsClient.Message(Arrays.copyOf(reply.bytes(), reply.position()));
    }

    @Test
    void anyBytesAreReadOrRefused() {
        long seed = Long.getLong("sallyport.seed", new Random().nextLong());
        System.out.println("any bytes: seed " + seed);
        Random random = new Random(seed);
        query.read(
                Unpooled.wrappedBuffer(DnsClient.ask("a.test", "MX").edns(1232).bytes()));
        byte[] valid = valid();
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] message = Arrays.copyOf(valid, valid.length - (random.nextInt(4) == 0 ? random.nextInt(40) : 0));
            for (int change = random.nextInt(3); change > 0; change--) {
                message[query.questionEnd() + random.nextInt(message.length - query.questionEnd())] =
                        (byte) random.nextInt();
            }
            UpstreamMessage found = UpstreamMessage.read(message, query.questionEnd());
            if (found == null) {
                continue;
            }
            read++;
            reply.begin(query, 0, 0);
            found.appendExpandedTo(reply, query.questionEnd());
            reply.end(query, 0, 512, DnsProtocol.MAX_MESSAGE);
            byte[] made = Arrays.copyOf(reply.bytes(), reply.position());
            assertThat(UpstreamMessage.read(made, query.questionEnd()))
                    .as("seed %d, round %d", seed, i)
                    .isNotNull();
            WholeMessage.check(made);
            WholeMessage.check(message);
        }
        assertThat(read).as("seed %d", seed).isBetween(ROUNDS / 10, ROUNDS - 1);
    }

    /** What each rule refuses, one change at a time. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            an owner that points to itself         | C018 0001 0001 00000009 0004 C0000201 | 1 0 0
            an owner that points ahead             | C028 0001 0001 00000009 0004 C0000201 | 1 0 0
            an owner that points into the header   | C002 0001 0001 00000009 0004 C0000201 | 1 0 0
            an owner that leads back into itself   | 0161 C018 0001 0001 00000009 0004 C0000201 | 1 0 0
            an owner with half a pointer           | C0 | 1 0 0
            an owner with a label of another kind  | 4161 00 0001 0001 00000009 0004 C0000201 | 1 0 0
            an alias that points to itself         | C00C 0005 0001 00000009 0002 C024 | 1 0 0
            an alias that ends in its own middle   | C00C 0005 0001 00000009 0004 0162C024 | 1 0 0
            an alias with more behind it           | C00C 0005 0001 00000009 0003 C00C00 | 1 0 0
            an alias that ends too early           | C00C 0005 0001 00000009 0001 C00C | 1 0 0
            a mail exchange that points to itself  | C00C 000F 0001 00000009 0004 000AC026 | 1 0 0
            a service that points to itself        | C00C 0021 0001 00000009 0008 000000000000C02A | 1 0 0
            a binding that points to itself        | C00C 0041 0001 00000009 0004 0001C026 | 1 0 0
            a signature that points to itself      | C00C 002E 0001 00000009 0014 000000000000000000000000000000000000C036 | 1 0 0
            an authority that points to itself     | C00C 0006 0001 00000009 0018 C00CC0260000000000000000000000000000000000000000 | 0 1 0
            an authority that is too short         | C00C 0006 0001 00000009 0014 C00CC00C00000000000000000000000000000000 | 0 1 0
            an additional that points to itself    | C018 0001 0001 00000009 0004 C0000201 | 0 0 1
            an additional alias to itself          | C00C 0005 0001 00000009 0002 C024 | 0 0 1
            an address of three octets             | C00C 0001 0001 00000009 0003 C00002 | 1 0 0
            an address of five octets              | C00C 0001 0001 00000009 0005 C000020100 | 1 0 0
            an IPv6 address of four octets         | C00C 001C 0001 00000009 0004 C0000201 | 1 0 0
            a text without a string                | C00C 0010 0001 00000009 0000 | 1 0 0
            a text that is longer than its record  | C00C 0010 0001 00000009 0003 057879 | 1 0 0
            a record that ends behind the message  | C00C 0001 0001 00000009 0004 C00002 | 1 0 0
            fewer records than counted             | C00C 0001 0001 00000009 0004 C0000201 | 2 0 0
            more records than counted              | C00C 0001 0001 00000009 0004 C0000201 | 0 0 0
            another class                          | C00C 0001 0003 00000009 0004 C0000201 | 1 0 0
            a type that only questions have        | C00C 00FF 0001 00000009 0000 | 1 0 0
            options among the answers              | 00 0029 0200 00000000 0000 | 1 0 0
            options of somebody                    | C00C 0029 0200 00000000 0000 | 0 0 1
            options twice                          | 00 0029 0200 00000000 0000 00 0029 0200 00000000 0000 | 0 0 2
            options that do not fill their record  | 00 0029 0200 00000000 0003 000A00 | 0 0 1
            an option that is too long             | 00 0029 0200 00000000 0004 000A0008 | 0 0 1
            an extended code                       | 00 0029 0200 01000000 0000 | 0 0 1
            """)
    void refuses(String what, String records, String counts) {
        assertThat(UpstreamMessage.read(message(records, counts), 24)).as(what).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            an owner in parts               | 0161 C00E 0001 0001 00000009 0004 C0000201 | 1 0 0
            an alias to the root            | C00C 0005 0001 00000009 0001 00 | 1 0 0
            any octets of an unknown type   | C00C FF78 0001 00000009 0002 C024 | 1 0 0
            an empty record of no known type | C00C FF78 0001 00000009 0000 | 1 0 0
            options                         | 00 0029 0200 00008000 0008 000A0004DEADBEEF | 0 0 1
            two strings                     | C00C 0010 0001 00000009 0004 01780179 | 1 0 0
            a naming authority              | C00C 0023 0001 00000009 000B 00010001 0175 00 0178 C00C | 1 0 0
            """)
    void reads(String what, String records, String counts) {
        byte[] message = message(records, counts);
        assertThat(UpstreamMessage.read(message, 24)).as(what).isNotNull();
        WholeMessage.check(message);
    }

    /** One label and a pointer to the pointer before, over and over: each leads back, all together never end soon. */
    @Test
    void refusesATowerOfPointers() {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (int i = 0; i < 200; i++) {
            DnsClient.put16(data, 0xC000 | (i == 0 ? 12 : 24 + 12 + 2 * (i - 1)));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(message("", "2 0 0"));
        record(out, NAME, 65400, data.toByteArray());
        record(out, new byte[] {(byte) 0xC0, (byte) (24 + 12 + 2 * 100)}, 1, new byte[] {1, 2, 3, 4});
        assertThat(UpstreamMessage.read(out.toByteArray(), 24)).isNotNull();
        byte[] tower = out.toByteArray();
        tower[tower.length - 16] = (byte) 0xC1;
        tower[tower.length - 15] = (byte) (24 + 12 + 2 * 150 - 256);
        assertThat(UpstreamMessage.read(tower, 24)).isNull();
    }

    /** Header, a question for {@code a.test}, which ends at 24, and records in hexadecimal. */
    private static byte[] message(String records, String counts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DnsClient.put16(out, 0x1234);
        DnsClient.put16(out, 0x8180);
        DnsClient.put16(out, 1);
        for (String count : counts.split(" ", -1)) {
            DnsClient.put16(out, Integer.parseInt(count));
        }
        out.writeBytes(DnsClient.wire("a.test"));
        DnsClient.put16(out, 15);
        DnsClient.put16(out, 1);
        out.writeBytes(HexFormat.of().parseHex(records.replace(" ", "")));
        return out.toByteArray();
    }
}
