package dev.sallyport.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers of IP, from their bytes. */
class PacketHeaderTest {

    private static ByteBuffer packet(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    @Test
    void optionsBelongToTheHeader() {
        PacketHeader header =
                PacketHeader.at(packet("46000024 00000000 4011 0000 0a4d0002 c0000207 01010100 a000 01bb"), 0);

        assertThat(header.protocol()).isEqualTo(PacketHeader.UDP);
        assertThat(header.source().getHostAddress()).isEqualTo("10.77.0.2");
        assertThat(header.target().getHostAddress()).isEqualTo("192.0.2.7");
        assertThat(header.end()).isEqualTo(24);
    }

    @Test
    void anAddressOfIpv6HasBracketsBeforeItsPort() {
        String address = "20010db8000000000000000000000001";
        ByteBuffer packet = packet("60000000 0009 11 40" + address + address + "a000 01bb 0009 0000");
        PacketHeader header = PacketHeader.at(packet, 0);

        assertThat(PacketHeader.withPort(header.target(), PacketHeader.port(packet, header.end() + 2)))
                .isEqualTo("[2001:db8::1]:443");
    }

    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:0, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "fe80:0:0:0:0:0:0:0, fe80::",
        "2001:db8:0:1:0:0:0:1, 2001:db8:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "10:0:0:20:0:0:0:30, 10:0:0:20::30",
        "192.0.2.7, 192.0.2.7"
    })
    void anAddressHasItsCanonicalText(String address, String text) throws Exception {
        assertThat(PacketHeader.text(InetAddress.getByName(address))).isEqualTo(text);
    }

    @Test
    void aPacketThatIsCutShortHasNone() {
        assertThatThrownBy(() -> PacketHeader.at(packet("45000028 00000000 4006"), 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
