package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DialGuardTest {

    private static final CidrSet DEFAULT_DENIED =
            CidrSet.of(Stream.of("169.254.169.254/32", "fd00:ec2::254/128", "127.0.0.0/8", "::1/128")
                    .map(IpRange::parse)
                    .toList());

    private static InetAddress address(String text) throws UnknownHostException {
        return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "fd00:ec2::254",
                "127.0.0.1",
                "127.8.9.10",
                "::1",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::a9fe:a9fe",
                "2002:a9fe:a9fe::1",
                "0.0.0.0",
                "::",
                "64:ff9b::",
                "2002:7f00:1::"
            })
    void deniesTheDefaultRangesInEveryForm(String text) throws Exception {
        DialGuard guard = new DialGuard(DEFAULT_DENIED, List.of());

        assertThat(guard.denies(address(text), 443)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "64:ff9b::808:808", "2002:808:808::1"})
    void allowsEverythingElsePrivateRangesIncluded(String text) throws Exception {
        DialGuard guard = new DialGuard(DEFAULT_DENIED, List.of());

        assertThat(guard.denies(address(text), 443)).isFalse();
    }

    @Test
    void deniesNothingWhenTheListIsEmpty() throws Exception {
        DialGuard guard = new DialGuard(CidrSet.of(List.of()), List.of());

        assertThat(guard.denies(address("127.0.0.1"), 443)).isFalse();
    }

    @Test
    void deniesOurOwnListenersOnTheirPortOnly() throws Exception {
        DialGuard guard =
                new DialGuard(CidrSet.of(List.of()), List.of(new InetSocketAddress(address("10.1.2.3"), 8080)));

        assertThat(guard.denies(address("10.1.2.3"), 8080)).isTrue();
        assertThat(guard.denies(address("64:ff9b::a01:203"), 8080)).isTrue();
        assertThat(guard.denies(address("10.1.2.3"), 8081)).isFalse();
        assertThat(guard.denies(address("10.1.2.4"), 8080)).isFalse();
    }

    @Test
    void deniesEveryAddressOfThisMachineForAWildcardListener() throws Exception {
        DialGuard guard =
                new DialGuard(CidrSet.of(List.of()), List.of(new InetSocketAddress(address("0.0.0.0"), 8080)));

        assertThat(guard.denies(address("127.0.0.77"), 8080)).isTrue();
        assertThat(guard.denies(address("0.0.0.0"), 8080)).isTrue();
        assertThat(localAddresses()).allMatch(local -> guard.denies(local, 8080));
        assertThat(localAddresses()).noneMatch(local -> guard.denies(local, 8081));
        assertThat(guard.denies(address("203.0.113.9"), 8080)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    127.8.9.10      | 127.8.9.10 is in 127.0.0.0/8 of proxy.upstream_deny_cidrs
                    fd00:ec2::254   | fd00:ec2::254 is in fd00:ec2::254/128 of proxy.upstream_deny_cidrs
                    64:ff9b::7f00:1 | 64:ff9b::7f00:1, which reaches 127.0.0.1, is in 127.0.0.0/8 of proxy.upstream_deny_cidrs
                    0.0.0.0         | 0.0.0.0, which reaches 127.0.0.1, is in 127.0.0.0/8 of proxy.upstream_deny_cidrs
                    10.1.2.3        | 10.1.2.3 is this proxy itself, on port 8080
                    """)
    void saysWhatDenies(String text, String why) throws Exception {
        DialGuard guard = new DialGuard(DEFAULT_DENIED, List.of(new InetSocketAddress(address("10.1.2.3"), 8080)));

        assertThat(guard.why(address(text), 8080)).isEqualTo(why);
    }

    private static List<InetAddress> localAddresses() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
    }
}
