package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What nft makes of the rules. */
class RulesetTest {

    /** As the guest's end of a cable sees it: what came back, or silence. */
    static final String PROBE = """
            use Socket; use IO::Socket::INET;
            $SIG{ALRM} = sub { print "silence\\n"; exit }; alarm 5;
            socket(S, PF_INET, SOCK_RAW, 1);
            send(S, pack("CCnnn", 8, 0, 0xf7fd, 1, 1), 0, sockaddr_in(0, inet_aton("192.0.2.7")));
            recv(S, $answer, 1500, 0); printf("ping: type %d, code %d\\n", unpack("x20CC", $answer));
            $udp = IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.0.2.7:443");
            $udp->send("x"); $udp->recv($answer, 100) // print "udp: $!\\n";
            """;

    private final Inet4Address first = address("10.77.0.2");
    private final Inet4Address second = address("10.77.0.3");
    private final GatePlan plan = new GatePlan(address("10.77.0.0"), 16, 10_080, 10_053, 1024);
    private final Ruleset rules = new Ruleset(plan, true);

    static Inet4Address address(String text) {
        try {
            return Members.address("address", text);
        } catch (dev.sallyport.sandboxd.wire.WireException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void cableAndAddressBelongTogether() {
        assertThat(rules.fresh(List.of(first, second)))
                .contains("\"svh2\" . 10.77.0.2", "\"svh3\" . 10.77.0.3")
                .contains("dnat ip to 10.77.0.1:10080")
                .contains("th dport 53 dnat ip to 10.77.0.1:10053");
    }

    @Test
    void aChangeIsOneTransactionAndKeepsCounters() throws Exception {
        Tools.require("nft");
        try (NetworkNamespace namespace = NetworkNamespace.add("svr")) {
            load(namespace, rules.fresh(List.of()));
            load(namespace, rules.change(List.of(first), Set.of()));
            load(namespace, rules.change(List.of(first, second), Set.of()));
            assertThat(table(namespace)).contains("counter refused_2", "counter refused_3", "\"svh2\" . 10.77.0.2");

            load(namespace, rules.change(List.of(second), Set.of(first)));
            assertThat(table(namespace))
                    .doesNotContain("refused_2", "10.77.0.2")
                    .contains("refused_3");

            load(namespace, rules.none());
            assertThat(table(namespace)).isEmpty();
        }
    }

    @Test
    void aChangeMakesATableThatSomebodyRemoved() throws Exception {
        Tools.require("nft");
        try (NetworkNamespace namespace = NetworkNamespace.add("svr")) {
            load(namespace, rules.change(List.of(first), Set.of(second)));

            assertThat(table(namespace))
                    .contains("counter refused_2", "\"svh2\" . 10.77.0.2", "chain steer")
                    .doesNotContain("refused_3");
        }
    }

    @Test
    void whatDiffersAloneLeadsToTheSameTableAndKeepsCounters() throws Exception {
        Tools.require("nft");
        try (NetworkNamespace namespace = NetworkNamespace.add("svr")) {
            load(namespace, rules.fresh(List.of(first)));
            String chains = shown(namespace, rules.difference(Set.of(second), Set.of()));
            load(namespace, "add element inet sallyport_sandbox queries { \"svh2\" ct count over 1024 }\n");
            assertThat(shown(namespace, rules.difference(Set.of(first), Set.of(first))))
                    .isEqualTo(chains);
            assertThat(table(namespace)).doesNotContain("\"svh2\" ct count over 1024");
            assertThat(shown(namespace, rules.difference(Set.of(), Set.of(first))))
                    .isEqualTo(chains);
            String changed = table(namespace);

            load(namespace, rules.fresh(List.of(second)));
            assertThat(table(namespace)).isEqualTo(changed);
        }
    }

    @Test
    void whatDiffersIsNotLoadedWhereTheTableIsNoLongerAsItWas() throws Exception {
        Tools.require("nft");
        try (NetworkNamespace namespace = NetworkNamespace.add("svr")) {
            assertThat(complaint(namespace, rules.difference(Set.of(first), Set.of())))
                    .contains("No such file");
            load(namespace, rules.fresh(List.of(first)));
            assertThat(complaint(namespace, rules.difference(Set.of(first), Set.of())))
                    .contains("File exists");
            assertThat(complaint(namespace, rules.difference(Set.of(), Set.of(second))))
                    .contains("No such file");
            String chains = shown(namespace, "list table inet sallyport_sandbox\n");
            load(namespace, "flush chain inet sallyport_sandbox local\n");

            assertThat(shown(namespace, rules.difference(Set.of(second), Set.of())))
                    .isNotEqualTo(chains);
        }
    }

    @Test
    void theNextGuestAtACableIsCountedAnew() throws Exception {
        Tools.require("nft");
        try (NetworkNamespace namespace = NetworkNamespace.add("svr")) {
            load(namespace, rules.fresh(List.of(first)));
            load(namespace, """
                    add element inet sallyport_sandbox queries { "svh2" ct count over 1024 }
                    add element inet sallyport_sandbox queries { "svh3" ct count over 1024 }
                    """);

            load(namespace, rules.change(List.of(second), Set.of(first)));

            assertThat(table(namespace))
                    .contains("\"svh3\" ct count over 1024")
                    .doesNotContain("\"svh2\" ct count over 1024");
        }
    }

    /** What is rejected is rejected where it arrives: nothing here is forwarded. */
    @Test
    void pingsAndOtherUdpAreRejectedAtOnceAndCounted() throws Exception {
        Tools.require("nft", "perl");
        try (NetworkNamespace gate = NetworkNamespace.add("svr");
                NetworkNamespace guest = NetworkNamespace.add("svg")) {
            Tools.run(gate.command(List.of("sysctl", "-q", "-w", "net.ipv4.ip_forward=0")));
            Tools.run(guest.command(List.of("sysctl", "-q", "-w", "net.ipv6.conf.default.disable_ipv6=1")));
            load(gate, rules.fresh(List.of(first)));
            gate.ip("link set lo up");
            gate.ip("address add 10.77.0.1/32 dev lo");
            connect(gate, guest);
            gate.ip("link set svh2 up");
            gate.ip("route add 10.77.0.2/32 dev svh2 src 10.77.0.1");

            assertThat(Tools.run(guest.command(List.of("perl", "-e", PROBE))))
                    .isEqualTo("ping: type 3, code 13\nudp: No route to host\n");
            assertThat(Tools.run(gate.command(List.of("nft", "list", "counter", "inet", Ruleset.TABLE, "refused_2"))))
                    .contains("packets 2 ");
        }
    }

    /** The first guest's cable, of which the gate's end is down. */
    static void connect(NetworkNamespace gate, NetworkNamespace guest) throws IOException, InterruptedException {
        connect(gate, guest, 2);
    }

    /** The same of the guest with a number. */
    static void connect(NetworkNamespace gate, NetworkNamespace guest, int number)
            throws IOException, InterruptedException {
        gate.ip("link add svh" + number + " type veth peer name eth0 netns " + guest.name());
        guest.ip("address add 10.77.0." + number + "/32 dev eth0");
        guest.ip("link set eth0 up");
        guest.ip("route add 10.77.0.1 dev eth0");
        guest.ip("route add default via 10.77.0.1");
    }

    @Test
    void whatIsLoggedGoesOnToBeCounted() {
        String text = rules.fresh(List.of(first));

        assertThat(text)
                .containsPattern("log prefix \"spoofed\" group 23057\n +counter name iifname map @spoofed\n +drop")
                .containsPattern("log prefix \"refused\" group 23057\n +counter name iifname map @refused\n +reject");
        assertThat(new Ruleset(plan, false).fresh(List.of(first))).isEqualTo(text.replaceAll(" +add @lines .*\n", ""));
    }

    @Test
    void nothingIsTakenBeforeItIsCounted() {
        String text = rules.fresh(List.of(first));

        assertThat(text.indexOf("@queries { iifname ct count over 1024 }"))
                .isPositive()
                .isLessThan(text.indexOf("udp dport 53 accept"));
        assertThat(text.indexOf("@connects { iifname limit rate over 128/second burst 1024 packets }"))
                .isPositive()
                .isLessThan(text.indexOf("meta l4proto tcp accept"));
    }

    private static void load(NetworkNamespace namespace, String text) throws IOException, InterruptedException {
        assertThat(run(namespace, text, 0)).isEmpty();
    }

    /** The chains that are shown while it is loaded. */
    private static String shown(NetworkNamespace namespace, String text) throws IOException, InterruptedException {
        String shown = run(namespace, text, 0);
        assertThat(shown).contains("\tchain source {");
        return shown.substring(shown.indexOf("\tchain "));
    }

    private static String complaint(NetworkNamespace namespace, String text) throws IOException, InterruptedException {
        return run(namespace, text, 1);
    }

    private static String run(NetworkNamespace namespace, String text, int status)
            throws IOException, InterruptedException {
        Process nft = new ProcessBuilder(namespace.command(List.of("nft", "--stateless", "--terse", "-f", "-")))
                .redirectErrorStream(true)
                .start();
        nft.outputWriter().append(text).close();
        String printed = new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(nft.waitFor()).as(printed).isEqualTo(status);
        return printed;
    }

    private static String table(NetworkNamespace namespace) throws IOException, InterruptedException {
        Process nft = new ProcessBuilder(namespace.command(List.of("nft", "list", "ruleset")))
                .redirectErrorStream(true)
                .start();
        String text = new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(nft.waitFor()).isZero();
        return text;
    }
}
