package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NearAddressesTest {

    private static boolean near(String text) throws Exception {
        return NearAddresses.contain(InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.255.255",
                "0.0.0.0",
                "::",
                "::1",
                "10.255.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.255.255",
                "100.64.0.1",
                "100.127.255.255",
                "169.254.7.7",
                "fe80::1",
                "febf::1",
                "fc00::1",
                "fdff::1",
                "::ffff:10.1.2.3",
                "64:ff9b::a01:203",
                "2002:a01:203::1"
            })
    void loopbackPrivateAndLinkLocalOnesAre(String address) throws Exception {
        assertThat(near(address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.0.1",
                "192.169.0.1",
                "100.63.255.255",
                "100.128.0.0",
                "169.253.0.1",
                "198.51.100.7",
                "224.0.0.1",
                "0.0.0.1",
                "2001:db8::1",
                "fec0::1",
                "fbff::1",
                "::ffff:8.8.8.8",
                "64:ff9b::808:808",
                "2002:808:808::1",
                // The IPv4 address may be at several places, of which not all are near.
                "64:ff9b:1::a01:203"
            })
    void othersAreNot(String address) throws Exception {
        assertThat(near(address)).isFalse();
    }
}
