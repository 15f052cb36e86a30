package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of nflog, as a kernel on a little-endian machine wrote them. */
class LoggedPacketTest {

    /** A ping, logged by a rule with a prefix. */
    private static final String PING =
            "9800000000040000000000000000000002005a1108000100080000000c000a007265667573656400"
                    + "08000400000000021000080000060000ba0c478caba3000006000f000001000006001100000e0000"
                    + "1200100016b82761a8f4ba0c478caba30800000014000300000000006b0c7abb00000000000bbffd"
                    + "200009004500001cabb740004001c2d30a4d0002c00002070800f7fd00010001";

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String text(String packet) {
        return new LoggedPacket(1, "", bytes(packet)).toString();
    }

    @Test
    void aMessageHasCablePrefixAndPacket() {
        LoggedPacket packet = LoggedPacket.of(bytes(PING)).getFirst();

        assertThat(packet.cable()).isEqualTo(2);
        assertThat(packet.prefix()).isEqualTo("refused");
        assertThat(packet).hasToString("icmp 192.0.2.7 type 8");
        assertThat(packet.source()).hasToString("/10.77.0.2");
    }

    @Test
    void messagesFollowEachOther() {
        String acknowledgement = "24000000 0200 0001 01000000 00000000 00000000 30000000 0104 0500 01000000 00000000";

        assertThat(LoggedPacket.of(bytes(PING + acknowledgement + PING)))
                .extracting(LoggedPacket::toString)
                .containsExactly("icmp 192.0.2.7 type 8", "icmp 192.0.2.7 type 8");
    }

    @Test
    void piecesOfAMessageAreNone() {
        ByteBuffer whole = bytes(PING);

        for (int length = 0; length < whole.capacity(); length++) {
            assertThat(LoggedPacket.of(whole.limit(length))).isEmpty();
        }
    }

    @Test
    void lengthsThatAreWrongEndTheMessage() {
        ByteBuffer message = bytes(PING);
        for (int at = 0; at < message.capacity(); at++) {
            for (int value : new int[] {0, 1, 0x7f, 0xff}) {
                byte was = message.get(at);
                message.put(at, (byte) value);
                assertThat(LoggedPacket.of(message))
                        .hasSizeLessThan(2)
                        .allSatisfy(packet -> assertThat(packet.toString()).isNotEmpty());
                message.put(at, was);
            }
        }
    }

    @Test
    void eachProtocolHasItsOwnText() {
        String source = "20010db8000000000000000000000001";
        String target = "20010db8000000000000000000000002";
        assertThat(List.of(
                        text("45000028 00000000 4006 0000 0a4d0002 c0000207 a000 0019 00000000"),
                        text("45000028 00000000 4084 0000 0a4d0002 c0000207"),
                        text("60000000 0009 11 40" + source + target + "a000 01bb"),
                        text("60000000 0009 3a 40" + source + target + "85"),
                        text("4500"),
                        text("")))
                .containsExactly(
                        "tcp 192.0.2.7:25",
                        "protocol 132 192.0.2.7",
                        "udp [2001:db8::2]:443",
                        "icmpv6 2001:db8::2 type 133",
                        "a packet that is cut short",
                        "a packet that is cut short");
    }
}
