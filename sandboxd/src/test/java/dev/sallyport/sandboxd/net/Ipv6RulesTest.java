package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of IPv6 that guests in network namespaces send to a gate in another one, which has none at its cables. */
@Timeout(120)
class Ipv6RulesTest {

    private static final String CAN_NOT = "IPv6 of guests is ";
    private static final String NEED = "rules with a reject at the ingress of a cable";

    /** What came back, or silence. */
    private static final String TCP_AND_UDP = """
            use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6);
            $SIG{ALRM} = sub { print "silence\\n"; exit }; alarm 10;
            $target = pack_sockaddr_in6(443, inet_pton(AF_INET6, "2001:db8::1:0:0:7"));
            socket(T, PF_INET6, SOCK_STREAM, 0); connect(T, $target) or print "tcp: $!\\n";
            socket(U, PF_INET6, SOCK_DGRAM, 0); connect(U, $target); send(U, "x", 0);
            recv(U, $answer, 100, 0) // print "udp: $!\\n";
            """;

    /** An error, and an echo request to many. */
    private static final String UNANSWERED = """
            use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6);
            socket(R, PF_INET6, SOCK_RAW, 58);
            sub to { pack_sockaddr_in6(0, inet_pton(AF_INET6, $_[0])) }
            send(R, pack("CCnN", 1, 1, 0, 0) . "x" x 48, 0, to("2001:db8::7")) and print "sent\\n";
            send(R, pack("CCnN", 128, 0, 0, 0), 0, to("ff0e::7")) and print "sent\\n";
            """;

    @RegisterExtension
    final GateNetwork network = new GateNetwork(2, 3);

    private GateProcess gate;

    private void start() throws Exception {
        gate = network.start();
        gate.assume(CAN_NOT, NEED);
        bringIpv6(2);
        bringIpv6(3);
    }

    /** As root of a guest with a kernel of its own can: an address, and a way past the silence of the host. */
    private void bringIpv6(int number) throws Exception {
        var address = Pattern.compile("link/ether (\\S+)").matcher(inGate("ip", "-o", "link", "show", "svh" + number));
        assertThat(address.find()).isTrue();
        NetworkNamespace to = network.guest(number);
        to.ip("-6 address add 2001:db8:1::" + number + "/64 dev eth0 nodad");
        to.ip("-6 neighbour add fe80::1 lladdr " + address.group(1) + " dev eth0");
        to.ip("-6 route add default via fe80::1 dev eth0");
    }

    /** Sends a datagram, and waits for no answer. */
    private void sendTo(String target) throws IOException, InterruptedException {
        assertThat(send("""
                use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6);
                socket(U, PF_INET6, SOCK_DGRAM, 0);
                send(U, "x", 0, pack_sockaddr_in6(9, inet_pton(AF_INET6, "%s"))) and print "sent\\n";
                """.formatted(target))).isEqualTo("sent\n");
    }

    private static String in(NetworkNamespace where, String... command) throws IOException, InterruptedException {
        return Tools.run(where.command(List.of(command)));
    }

    private String inGate(String... command) throws IOException, InterruptedException {
        return in(network.namespace(), command);
    }

    private String inGuest(String... command) throws IOException, InterruptedException {
        return in(network.guest(2), command);
    }

    private String send(String script) throws IOException, InterruptedException {
        return inGuest("perl", "-e", script);
    }

    private String ipv6OfTheHost() throws Exception {
        return inGate("ip", "-6", "address")
                + inGate("ip", "-6", "route", "show", "table", "all")
                + inGate("ip", "-6", "neighbour", "show", "nud", "all");
    }

    private String chain(int number) throws Exception {
        return inGate("sh", "-c", "nft -s list chain netdev sallyport_sandbox svh" + number + " 2>&1 || true");
    }

    private void awaitChain(int number, String expected) throws Exception {
        long start = System.nanoTime();
        String chain = chain(number);
        for (;
                !chain.equals(expected)
                        && System.nanoTime() - start < Patience.usual().toNanos();
                chain = chain(number)) {
            Thread.onSpinWait(); // nft takes a while
        }
        assertThat(chain).isEqualTo(expected);
    }

    @Test
    void itIsRejectedAtOnceAndCountedAndSaidOfTheGuest() throws Exception {
        start();
        String before = ipv6OfTheHost();

        assertThat(send(TCP_AND_UDP)).isEqualTo("tcp: Connection refused\nudp: Permission denied\n");

        assertThat(gate.refused("10.77.0.2")).isEqualTo("Refused[packets=2, spoofed=0]");
        assertThat(gate.refused("10.77.0.3")).isEqualTo("Refused[packets=0, spoofed=0]");
        assertThat(ipv6OfTheHost()).isEqualTo(before).doesNotContain("svh2");
        assertThat(inGate("cat", "/proc/sys/net/ipv6/conf/svh2/disable_ipv6")).isEqualTo("1\n");
    }

    @Test
    void someOfItIsInTheLog() throws Exception {
        start();
        gate.assume("counted, and not logged", "nfnetlink_log");

        send(TCP_AND_UDP);

        assertThat(gate.refusal()).isEqualTo("guest-2 is refused tcp [2001:db8::1:0:0:7]:443");
        assertThat(gate.refusal()).isEqualTo("guest-2 is refused udp [2001:db8::1:0:0:7]:443");
    }

    /** The kernel asks for the neighbour, and the datagram never leaves. */
    @Test
    void whatAKernelSendsByItselfIsNotCounted() throws Exception {
        start();

        sendTo("2001:db8:1::9");

        assertThat(gate.refused("10.77.0.2")).isEqualTo("Refused[packets=0, spoofed=0]");
    }

    @Test
    void nobodyAnswersAnErrorOrWhatIsSentToMany() throws Exception {
        start();
        String answers = "Icmp6InDestUnreachs";
        String before = inGuest("grep", answers, "/proc/net/snmp6");

        assertThat(send(UNANSWERED)).isEqualTo("sent\nsent\n");

        assertThat(gate.refused("10.77.0.2")).isEqualTo("Refused[packets=2, spoofed=0]");
        assertThat(inGuest("grep", answers, "/proc/net/snmp6")).isEqualTo(before);
    }

    @Test
    void rulesThatSomebodyRemovesOrChangesComeBack() throws Exception {
        start();
        String chain = chain(2);
        for (String change : List.of(
                "flush ruleset",
                "delete chain netdev sallyport_sandbox svh2",
                "insert rule netdev sallyport_sandbox svh2 accept")) {
            inGate("nft", change);
            gate.line("the rules for IPv6 of svh2");
            awaitChain(2, chain);

            assertThat(send(TCP_AND_UDP)).isEqualTo("tcp: Connection refused\nudp: Permission denied\n");
        }
    }

    @Test
    void aChainIsThereAsLongAsItsGuest() throws Exception {
        start();
        gate.attach("10.77.0.4");
        assertThat(chain(4)).isEqualTo(chain(2).replace("svh2", "svh4"));
        gate.detach("10.77.0.4");

        assertThat(inGate("nft", "list", "ruleset"))
                .doesNotContain("svh4", "refused_4")
                .contains("device \"svh2\"", "device \"svh3\"");
    }

    /** The kernel takes the hook, and in most versions the chain, along with a cable that somebody deletes. */
    @Test
    void aGuestWhoseCableIsGoneIsDetached() throws Exception {
        start();
        network.namespace().ip("link delete svh2");
        gate.detach("10.77.0.2");

        assertThat(inGate("nft", "list", "ruleset")).doesNotContain("svh2").contains("svh3");
    }

    /** A program in the place of nft that knows less. */
    private static String lacking(String word) {
        return """
                cp $(command -v nft) /run/nft && printf '%%s\\n' '#!/bin/sh' 'text=$(cat)' 'case "$*$text" in' \
                '*"%s"*) echo no >&2; exit 1;;' 'esac' 'printf "%%s\\n" "$text" | /run/nft "$@"' > /run/less \
                && chmod 755 /run/less && mount --bind /run/less $(command -v nft)""".formatted(word);
    }

    @ParameterizedTest
    @CsvSource({
        "reject with icmpv6, 'counted and dropped, and not rejected', 1",
        "netdev, 'dropped, and neither rejected nor counted', 0"
    })
    void aKernelThatCanDoLessDropsAndCountsWhatItCan(String lacking, String said, int counted) throws Exception {
        gate = network.startAfter(lacking(lacking));
        bringIpv6(2);

        assertThat(gate.beginning()).containsOnlyOnce(CAN_NOT + said + ": nft");
        sendTo("2001:db8::7");
        assertThat(gate.refused("10.77.0.2")).isEqualTo("Refused[packets=" + counted + ", spoofed=0]");
        assertThat(inGate("nft", "list", "ruleset").contains("netdev")).isEqualTo(counted > 0);
    }
}
