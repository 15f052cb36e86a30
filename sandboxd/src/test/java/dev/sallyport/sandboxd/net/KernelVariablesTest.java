package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is set in a guest's namespace, and at the other end of its cable. */
class KernelVariablesTest {

    @Test
    void aKernelWithoutIpv6IsNotAskedForIt() {
        assertThat(KernelVariables.ofGuest(false)).containsExactly("ipv4/ip_unprivileged_port_start=0");
        assertThat(KernelVariables.ofGuest(true))
                .contains("ipv6/conf/all/disable_ipv6=1", "ipv6/conf/default/disable_ipv6=1");
        assertThat(KernelVariables.ofHost("svh2", false))
                .containsExactly("ipv4/conf/svh2/arp_filter", "ipv4/conf/svh2/arp_ignore");
        assertThat(KernelVariables.ofHost("svh2", true)).contains("ipv6/conf/svh2/disable_ipv6");
    }
}
