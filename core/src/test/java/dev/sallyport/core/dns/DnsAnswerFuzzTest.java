package dev.sallyport.core.dns;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.testsupport.DnsClient;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever an upstream resolver answers is dropped, or goes on as a well-formed message within its limits: as it is, and
 * with its names written out behind an alias. An input is what follows the identifier, but for the question.
 */
class DnsAnswerFuzzTest {

    private static final int COUNTS = 10;
    private static final int[] LIMITS = {DnsProtocol.PLAIN_UDP, 1232, DnsProtocol.MAX_MESSAGE};

    private final Query query = new Query(512);
    private final DnsReply reply = new DnsReply();
    private final byte[] asked;

    DnsAnswerFuzzTest() {
        query.read(Unpooled.wrappedBuffer(
                DnsClient.ask("a.test", "MX").id(7).edns(1232).bytes()));
        asked = UpstreamQuestion.of(7, query, query.nameBytes());
    }

    static Stream<Arguments> seeds() {
        String head = "\201\200\0\1\0\1\0\0\0\0";
        String owner = "\300\14";
        return new Seeds()
                        .add("nothing", "\201\200\0\1\0\0\0\0\0\0")
                        .add("an address", head + owner + "\0\1\0\1\0\0\0\11\0\4\300\0\2\1")
                        .add("an alias", head + owner + "\0\5\0\1\0\0\0\11\0\5\2mx\300\14")
                        .add("a mail exchange", head + owner + "\0\17\0\1\0\0\0\11\0\7\0\12\2mx\300\14")
                        .add("a service", head + owner + "\0\41\0\1\0\0\0\11\0\10\0\0\0\0\0\0\300\14")
                        .add(
                                "an authority",
                                "\201\200\0\1\0\0\0\1\0\0" + owner + "\0\6\0\1\0\0\0\11\0\30\300\14\300\14"
                                        + "\0".repeat(20))
                        .add("options", "\201\200\0\1\0\0\0\0\0\1\0\0\51\4\320\0\0\0\0\0\0")
                        .add("more than a header can say", "\201\200\0\1\0\0\0\0\0\1\0\0\51\4\320\1\0\0\0\0\0")
                        .add("cut short", "\203\200\0\1\0\0\0\0\0\0")
                        .add("no such name", "\201\203\0\1\0\0\0\0\0\0")
                        .add("a loop", head + owner + "\0\5\0\1\0\0\0\11\0\2\300\44")
                        .add("a loop in an owner", head + "\300\30" + "\0\1\0\1\0\0\0\11\0\4\300\0\2\1")
                        .add("a binding", head + owner + "\0\101\0\1\0\0\0\11\0\4\0\1\300\46")
                        .add("a naming authority", head + owner + "\0\43\0\1\0\0\0\11\0\13\0\1\0\1\1u\0\1x\300\14")
                        .add("a long text", head + owner + "\0\20\0\1\0\0\0\11\3\0" + "\377".repeat(768))
                        .stream();
    }

    @DictionaryEntries({
        "\\xc0\\x0c",
        "\\xc0\\x00",
        "\\x00\\x01\\x00\\x01\\x00\\x00\\x00\\x09\\x00\\x04",
        "\\x00\\x05\\x00\\x01",
        "\\x00\\x0f\\x00\\x01",
        "\\x00\\x21\\x00\\x01",
        "\\x00\\x06\\x00\\x01",
        "\\x00\\x00\\x29",
        "\\x02mx\\xc0\\x0c"
    })
    @MethodSource("seeds")
    @FuzzTest
    void whatGoesOnIsWellFormed(byte[] data) {
        byte[] message = message(data);
        UpstreamMessage found =
                UpstreamMessage.answers(message, asked) ? UpstreamMessage.read(message, query.questionEnd()) : null;
        if (found == null) {
            return;
        }
        for (int limit : LIMITS) {
            reply.begin(query, found.flags(), found.rcode());
            found.appendTo(reply, query.questionEnd());
            byte[] plain = end(found, limit);
            WholeMessage.check(plain);
            assertThat(UpstreamMessage.read(plain, query.questionEnd())).isNotNull();

            reply.begin(query, found.flags(), found.rcode());
            found.appendExpandedTo(reply, query.questionEnd());
            byte[] written = end(found, limit);
            WholeMessage.check(written);
            DnsClient.Message expanded = new DnsClient.Message(written);
            assertThat(expanded.id()).isEqualTo(query.id());
            assertThat(expanded.additionals).hasSize(1);
            assertThat(expanded.bytes[2] & 0x80).isNotZero();
            if (!reply.truncated()) {
                assertThat(owners(expanded)).isEqualTo(owners(new DnsClient.Message(message)));
            }
        }
    }

    private static List<String> owners(DnsClient.Message message) {
        return message.answers.stream().map(rr -> rr.owner() + " " + rr.type()).toList();
    }

    private byte[] end(UpstreamMessage found, int limit) {
        reply.end(query, found.rcode(), 512, limit);
        assertThat(reply.position()).isLessThanOrEqualTo(limit);
        return Arrays.copyOf(reply.bytes(), reply.position());
    }

    /** Identifier, the flags and counts of the input, the question, the rest of the input. */
    private byte[] message(byte[] data) {
        byte[] padded = Arrays.copyOf(data, Math.max(COUNTS, data.length));
        int questionEnd = query.questionEnd();
        byte[] message = new byte[questionEnd + padded.length - COUNTS];
        System.arraycopy(asked, 0, message, 0, questionEnd);
        System.arraycopy(padded, 0, message, 2, COUNTS);
        System.arraycopy(padded, COUNTS, message, questionEnd, padded.length - COUNTS);
        return message;
    }
}
