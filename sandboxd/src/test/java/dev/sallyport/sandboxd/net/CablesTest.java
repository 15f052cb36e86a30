package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What ip shows of the cables of guests. */
class CablesTest {

    private static final String INSIDE = "nsenter --net=/run/netns/sallyport-5 ";

    private static final String ALL =
            "ip -o link show; ip route show table all; ls -A /run/netns 2>/dev/null; cat /proc/self/mountinfo";

    @RegisterExtension
    private final GateNetwork network = new GateNetwork();

    private GateProcess gate;

    @Test
    void aCableHasTwoEndsThatAreUpWithTheirAddressesAndRoutes() throws Exception {
        gate = network.start();
        gate.attach("10.77.0.5");

        assertThat(gate.run("ip -o link show svh5")).contains("state UP");
        assertThat(gate.run("ip -o -4 address show svh5")).contains("inet 10.77.0.1/32");
        assertThat(gate.run("ip route show dev svh5").strip()).isEqualTo("10.77.0.5 scope link src 10.77.0.1");
        assertThat(gate.run("cd /proc/sys/net/ipv4/conf/svh5 && cat arp_filter arp_ignore"))
                .isEqualTo("1\n1\n");
        assertThat(gate.run(INSIDE + "ip -o link show"))
                .contains("lo: <LOOPBACK,UP,LOWER_UP>")
                .containsPattern("2: eth0@[^\n]*state UP");
        assertThat(gate.run(INSIDE + "ip -o -4 address show eth0")).contains("inet 10.77.0.5/32");
        assertThat(gate.run(INSIDE + "ip route show").strip())
                .isEqualTo("default via 10.77.0.1 dev eth0 \n10.77.0.1 dev eth0 scope link");
        assertThat(gate.run(INSIDE + "sysctl -n net.ipv4.ip_unprivileged_port_start"))
                .isEqualTo("0\n");
        assertThat(gate.run("bash -c 'exec 3<>/dev/tcp/10.77.0.5/9' 2>&1 || true"))
                .contains("Connection refused");
    }

    @Test
    void nothingIsLeftOfOneThatIsRemoved() throws Exception {
        gate = network.startAfter("ip netns add other");
        String before = gate.run(ALL);
        gate.attach("10.77.0.5");
        gate.detach("10.77.0.5");

        assertThat(gate.run(ALL)).isEqualTo(before);
    }

    @Test
    void whatIpMakesMeanwhileIsInTheWayOfNothing() throws Exception {
        gate = network.start();
        gate.attach("10.77.0.5");
        gate.run("ip netns add other && ip netns delete other");
        gate.detach("10.77.0.5");

        assertThat(gate.run("ls -A /run/netns; grep sallyport- /proc/self/mountinfo || true"))
                .isEmpty();
    }

    @Test
    void whatFailsIsNamedAndCanBeDoneAgain() throws Exception {
        gate = network.start();
        gate.run("ip link add svh5 type veth peer name other");

        assertThat(gate.failedAttach("10.77.0.5"))
                .isEqualTo("failed: making the cable svh5: it is there already (EEXIST)");

        gate.run("test ! -e /run/netns/sallyport-5");
        gate.detach("10.77.0.5");
        gate.attach("10.77.0.5");
        assertThat(gate.run("ip -o link show svh5")).contains("state UP");
    }

    @Test
    void whatAnEarlierProcessLeftIsRemoved() throws Exception {
        gate = network.startAfter(
                "ip netns add sallyport-7 && ip link add svh7 type veth peer name eth0 netns sallyport-7"
                        + " && touch /run/netns/sallyport-8");

        assertThat(gate.run("ip -o link show")).doesNotContain("svh");
        assertThat(gate.run("ls -A /run/netns")).isEmpty();
    }
}
