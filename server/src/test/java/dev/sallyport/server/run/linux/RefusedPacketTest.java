package dev.sallyport.server.run.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class RefusedPacketTest {

    private static ByteBuffer packet(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    @Test
    void a_reset_comes_from_where_the_connection_was_meant_to_go() {
        RefusedPacket refused = RefusedPacket.of(packet(
                "45000028 00000000 4006 0000 c0000207 c0000207" + "0019 a000 00000000 00000001 5014 0000 0000 0000"));

        assertThat(refused).hasToString("tcp 192.0.2.7:25");
    }

    @Test
    void port_unreachable_quotes_the_datagram() {
        RefusedPacket refused = RefusedPacket.of(packet("45c00038 00000000 4001 0000 c0000209 c0000209"
                + "0303 0000 00000000"
                + "4500001d 00000000 4011 0000 c0000209 c0000209 a000 01bb 0009 0000"));

        assertThat(refused).hasToString("udp 192.0.2.9:443");
    }

    @Test
    void port_unreachable_of_ipv6() {
        String address = "20010db8000000000000000000000001";
        RefusedPacket refused = RefusedPacket.of(packet("60000000 0039 3a 40" + address + address
                + "0104 0000 00000000"
                + "60000000 0009 11 40" + address + address + "a000 01bb 0009 0000"));

        assertThat(refused).hasToString("udp [2001:db8::1]:443");
    }

    @Test
    void a_packet_that_is_cut_short_is_none() {
        assertThat(RefusedPacket.of(packet("45000028 00000000 4006"))).isNull();
    }
}
