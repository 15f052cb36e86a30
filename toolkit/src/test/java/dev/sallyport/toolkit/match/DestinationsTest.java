package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.spi.Destination;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationsTest {

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com, 443",
        "Example.COM:8443, example.com, 8443",
        "example.com.:1, example.com, 1",
        "192.0.2.1:65535, 192.0.2.1, 65535",
        "[2001:DB8::1]:80, 2001:db8::1, 80",
        "[2001:db8::1], 2001:db8::1, 443",
        "[::ffff:192.0.2.1]:80, 192.0.2.1, 80",
    })
    void anAuthority_isReadStrictly(String authority, String host, int port) {
        Destination destination = Destinations.fromAuthority(authority, 443, true);
        assertThat(destination.host()).isEqualTo(host);
        assertThat(destination.port()).isEqualTo(port);
        assertThat(destination.secure()).isTrue();
        assertThat(destination.literal()).isEqualTo(Hosts.isLiteral(host));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":443",
                "user@example.com",
                "user:pw@example.com:443",
                "example.com:",
                "example.com:0",
                "example.com:65536",
                "example.com:99999",
                "example.com:4294967739",
                "example.com:-1",
                "example.com:+80",
                "example.com:0443",
                "example.com:80a",
                "example.com: 80",
                "::1",
                "2001:db8::1:443",
                "[::1",
                "[::1]443",
                "[::1]:",
                "[::1]x:443",
                "[fe80::1%25lo]:443",
                "a:b:c",
                "127.1:80",
                "example.com:٤٤٣",
                "[example.com]:443",
                "http://example.com"
            })
    void whatIsNoAuthority_isRefused(String authority) {
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Destinations.fromAuthority(authority, 443, true));
    }

    @Test
    void anAddress_keepsItsBits() {
        Destination v6 = Destinations.parse("[2001:db8:1:2:3:4:5:6]", 443, true);
        assertThat(v6.address()).isInstanceOf(Inet6Address.class);
        assertThat(v6.address().getHostAddress()).isEqualTo("2001:db8:1:2:3:4:5:6");
        assertThat(v6.authority()).isEqualTo("[2001:db8:1:2:3:4:5:6]:443");
        Destination v4 = Destinations.parse("203.0.113.255", 80, false);
        assertThat(v4.address()).isInstanceOf(Inet4Address.class);
        assertThat(v4.address().getHostAddress()).isEqualTo("203.0.113.255");
        assertThat(Destinations.parse("example.com", 80, false).address()).isNull();
    }

    @Test
    void ipv4Mapped_isUnmapped_whereverItComesFrom() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        mapped[12] = 10;
        mapped[15] = 1;
        InetAddress address = Inet6Address.getByAddress(null, mapped, -1);
        Destination fromAddress = Destinations.ofAddress(address, 443, true);
        assertThat(fromAddress).isEqualTo(Destinations.parse("::ffff:10.0.0.1", 443, true));
        assertThat(fromAddress.host()).isEqualTo("10.0.0.1");
        assertThat(fromAddress.address()).isEqualTo(Literal.of("10.0.0.1"));
    }

    @Test
    void ofAddress_givesTheSameAsItsText() throws Exception {
        for (String text :
                new String[] {"::", "::1", "1::", "2001:db8::a:0:0:1", "fe80::1", "255.255.255.255", "0.0.0.0"}) {
            Destination destination = Destinations.ofAddress(Literal.of(text), 1, false);
            assertThat(destination).isEqualTo(Destinations.parse(text, 1, false));
            assertThat(destination.address()).isEqualTo(Literal.of(text));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65536})
    void aPortOutOfRange_isRefused(int port) {
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Destinations.parse("example.com", port, true));
    }
}
