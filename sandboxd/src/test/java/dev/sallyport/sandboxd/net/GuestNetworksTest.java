package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is set in a guest's namespace. */
class GuestNetworksTest {

    @Test
    void aKernelWithoutIpv6IsNotAskedForIt() {
        assertThat(GuestNetworks.variables(false)).containsExactly("net.ipv4.ip_unprivileged_port_start=0");
        assertThat(GuestNetworks.variables(true))
                .contains("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1");
    }
}
