package dev.sallyport.core.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Answers of upstreams, of any bytes: they are read or refused, and what is made of them is well-formed. */
class UpstreamMessageTest {

    private static final int ROUNDS = 100_000;
    private static final byte[] NAME = {(byte) 0xC0, 12};
    private static final byte[] UNDER = {2, 'm', 'x', (byte) 0xC0, 12};

    private final Query query = new Query(512);
    private final Reply reply = new Reply();

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
        assertThat(found.appendExpandedTo(reply, query.questionEnd())).isTrue();
        reply.end(query, 0, 512, Protocol.MAX_MESSAGE);
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
        int expanded = 0;
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
            if (found.appendExpandedTo(reply, query.questionEnd())) {
                expanded++;
                reply.end(query, 0, 512, Protocol.MAX_MESSAGE);
                byte[] made = Arrays.copyOf(reply.bytes(), reply.position());
                assertThat(UpstreamMessage.read(made, query.questionEnd()))
                        .as("seed %d, round %d", seed, i)
                        .isNotNull();
            }
        }
        assertThat(read).as("seed %d", seed).isBetween(ROUNDS / 10, ROUNDS - 1);
        assertThat(expanded).as("seed %d", seed).isBetween(ROUNDS / 10, read - 1);
    }
}
