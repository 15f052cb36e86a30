package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrSetTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8",
        "10.1.2.3, 10.1.2.3/32",
        "2001:DB8::/32, 2001:db8::/32",
        "::1, ::1/128",
        "0.0.0.0/0, 0.0.0.0/0",
        "::/0, ::/0",
        "::ffff:10.0.0.0/104, 10.0.0.0/8",
        "::ffff:10.0.0.1, 10.0.0.1/32",
        "fd00:ec2::254/128, fd00:ec2::254/128",
    })
    void aBareIp_isASlash32Or128_andRangesAreCanonical(String text, String canonical) {
        assertThat(IpRange.parse(text)).hasToString(canonical).isEqualTo(IpRange.parse(canonical));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0/8",
                        "010.0.0.0/8",
                "::/129", "::1%lo", "[::1]", "fe80::%1/64", "example.com", "10.0.0.0 /8", "10.0.0.0/8 ", "0x0a000000/8",
                        "::/1a"
            })
    void aMalformedRange_isAnError(String text) {
        assertThatExceptionOfType(InvalidPatternException.class).isThrownBy(() -> IpRange.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3/8, 10.0.0.0/8",
        "192.168.1.1/16, 192.168.0.0/16",
        "2001:db8::1/32, 2001:db8::/32",
        "2001:db8:0:0:8000::/64, 2001:db8::/64",
        "1.2.3.4/0, 0.0.0.0/0",
        "::ffff:10.1.0.0/104, 10.0.0.0/8",
    })
    void hostBits_areAnErrorThatNamesTheNetworkThatWasMeant(String text, String meant) {
        assertThatExceptionOfType(InvalidPatternException.class)
                .isThrownBy(() -> IpRange.parse(text))
                .satisfies(e -> assertThat(e.expected()).isEqualTo(meant));
    }

    @Test
    void parse_reportsEveryProblemAtItsPlace() {
        List<String> pointers = new ArrayList<>();
        CidrSet.parse(
                List.of("10.0.0.0/8", "x", "10.0.0.1/8"),
                (pointer, message, expected) -> pointers.add(pointer),
                "/deny");
        assertThat(pointers).containsExactly("/deny/1", "/deny/2");
    }

    @Test
    void contains_unmapsIpv4_andKeepsFamiliesApart() throws Exception {
        CidrSet set = CidrSet.of(List.of(IpRange.parse("10.0.0.0/8"), IpRange.parse("::/1")));
        assertThat(set.contains(Literal.of("10.255.0.1"))).isTrue();
        assertThat(set.contains(mapped("10.255.0.1"))).isTrue();
        assertThat(set.contains(mapped("11.0.0.1"))).isFalse();
        assertThat(set.contains(Literal.of("11.0.0.1"))).isFalse();
        assertThat(set.contains(Literal.of("::1"))).isTrue();
        assertThat(set.contains(Literal.of("8000::"))).isFalse();
        assertThat(IpRange.parse("10.0.0.0/8").contains(mapped("10.0.0.1"))).isTrue();
        assertThat(CidrSet.of(List.of()).isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "64:ff9b::a9fe:a9fe",
                "2002:a9fe:a9fe::1",
                "64:ff9b:1::a9fe:a9fe",
                "64:ff9b:1:a9fe:a9:fe00::",
                "64:ff9b:1:7a9:fe:a9fe::",
                "64:ff9b:1:7:a9:fea9:fe00::",
            })
    void dialGuard_unwrapsNat64And6to4(String text) throws Exception {
        CidrSet deny = CidrSet.of(List.of(IpRange.parse("169.254.169.254/32")));
        InetAddress address = Literal.of(text);
        assertThat(deny.contains(address)).isFalse();
        assertThat(deny.containsAnyForm(address)).isTrue();
    }

    @Test
    void dialGuard_unwrapsMapped_andLeavesOthersAlone() throws Exception {
        CidrSet deny = CidrSet.of(List.of(IpRange.parse("127.0.0.0/8")));
        assertThat(deny.containsAnyForm(mapped("127.0.0.1"))).isTrue();
        assertThat(deny.containsAnyForm(Literal.of("2001:db8::7f00:1"))).isFalse();
        assertThat(deny.containsAnyForm(Literal.of("64:ff9c::7f00:1"))).isFalse();
        assertThat(Addresses.unmapped(mapped("127.0.0.1"))).isEqualTo(Literal.of("127.0.0.1"));
        assertThat(Addresses.embedded(Literal.of("10.0.0.1"))).isEmpty();
    }

    /** Against a list that is searched from one end to the other. */
    @Test
    void trieAgreesWithAList() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<IpRange> ranges = new ArrayList<>();
            int count = random.nextInt(40);
            for (int i = 0; i < count; i++) {
                ranges.add(randomRange(random));
            }
            CidrSet set = CidrSet.of(ranges);
            for (int i = 0; i < 100; i++) {
                InetAddress address = InetAddress.getByAddress(randomBytes(random));
                assertThat(set.contains(address))
                        .as("seed %d: %s in %s", seed, address, ranges)
                        .isEqualTo(ranges.stream().anyMatch(range -> range.contains(address)));
            }
        }
    }

    private static IpRange randomRange(Random random) throws Exception {
        byte[] bytes = randomBytes(random);
        int length = random.nextInt(bytes.length * 8 + 1);
        for (int i = length; i < bytes.length * 8; i++) {
            bytes[i / 8] &= (byte) ~(0x80 >> i % 8);
        }
        return IpRange.parse(InetAddress.getByAddress(bytes).getHostAddress() + "/" + length);
    }

    /** Few distinct bits, so that prefixes nest. */
    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(8) == 0 ? random.nextInt(4) << random.nextInt(7) : 0x20);
        }
        return bytes;
    }

    static InetAddress mapped(String v4) throws Exception {
        byte[] bytes = new byte[16];
        bytes[10] = (byte) 0xFF;
        bytes[11] = (byte) 0xFF;
        System.arraycopy(Literal.of(v4).getAddress(), 0, bytes, 12, 4);
        return Inet6Address.getByAddress(null, bytes, -1);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.0.0.0/8",
        "10.9.9.9, 10.0.0.0/8",
        "192.168.1.1, 192.168.1.0/24",
        "2001:db8::1, 2001:db8::/32",
        "192.168.2.1,",
    })
    void theRangeOfAnAddress_isTheWidestThatHasIt(String address, String range) throws Exception {
        CidrSet set = CidrSet.of(Stream.of("10.1.2.0/24", "10.0.0.0/8", "192.168.1.0/24", "2001:db8::/32")
                .map(IpRange::parse)
                .toList());

        assertThat(set.rangeOf(InetAddress.getByName(address))).isEqualTo(range == null ? null : IpRange.parse(range));
    }
}
