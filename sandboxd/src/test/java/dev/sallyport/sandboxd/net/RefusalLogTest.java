package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the log says of packets that a guest in a network namespace sends to a gate in another one. */
@Timeout(120)
class RefusalLogTest {

    private static final String OTHER_SENDER = """
            use Socket;
            socket(R, PF_INET, SOCK_RAW, 255);
            send(R, pack("CCnnnCCna4a4", 0x45, 0, 28, 0, 0, 64, 132, 0, inet_aton("10.77.0.9"), inet_aton("192.0.2.8"))
                . "x" x 8, 0, sockaddr_in(0, inet_aton("192.0.2.8")));
            """;

    private static final String FLOOD = """
            use IO::Socket::INET;
            $udp = IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.0.2.7:443");
            for (1..1000) { $sent++ if $udp->send("x") } # or else it hears of one that was refused
            print $sent;
            """;

    private NetworkNamespace gate;
    private NetworkNamespace guest;
    private Process process;
    private BufferedReader said;

    /** The process that has the rules, with nothing else in it. */
    static final class Gate {

        public static void main(String[] arguments) throws Exception {
            GatePlan plan = new GatePlan(RulesetTest.address("10.77.0.0"), 16, 10_080, 10_053, 1024);
            GuestNetworks networks = new GuestNetworks(plan, address -> "guest-" + plan.index(address));
            networks.reset(List.of(RulesetTest.address("10.77.0.2")));
            System.out.println("ready");
            while (System.in.read() >= 0) {
                System.out.println(networks.refused(RulesetTest.address("10.77.0.2")));
            }
            networks.close();
        }
    }

    @BeforeEach
    void begin() throws Exception {
        Tools.require("nft", "perl", "unshare", "sysctl");
        gate = NetworkNamespace.add("svr");
        guest = NetworkNamespace.add("svg");
        RulesetTest.connect(gate, guest);
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /run && exec \"$@\"", "sh"));
        command.addAll(Tools.java(Gate.class));
        process = new ProcessBuilder(gate.command(command))
                .redirectErrorStream(true)
                .start();
        said = process.inputReader();
        for (String line = said.readLine(); !"ready".equals(line); line = said.readLine()) {
            assertThat(line).isNotNull();
            assumeFalse(line.contains("counted, and not logged"), "needs nfnetlink_log: " + line);
        }
    }

    @AfterEach
    void end() throws Exception {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        for (NetworkNamespace namespace : new NetworkNamespace[] {guest, gate}) {
            if (namespace != null) {
                namespace.close();
            }
        }
    }

    private String send(String script) throws IOException, InterruptedException {
        return Tools.run(guest.command(List.of("perl", "-e", script)));
    }

    /** The next line about a packet, without what a logger puts before it; others are left out. */
    private String refusal() throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.contains(" is refused ")) {
                return line.substring(line.indexOf("guest-"));
            }
        }
        throw new AssertionError("the gate has ended");
    }

    @Test
    void whatIsRefusedIsSaidOfTheGuest() throws Exception {
        send(RulesetTest.PROBE);

        assertThat(refusal()).isEqualTo("guest-2 is refused icmp 192.0.2.7 type 8");
        assertThat(refusal()).isEqualTo("guest-2 is refused udp 192.0.2.7:443");
    }

    @Test
    void soIsAnAddressThatIsNotTheGuests() throws Exception {
        send(OTHER_SENDER);

        assertThat(refusal())
                .isEqualTo("guest-2 is refused protocol 132 192.0.2.8 from 10.77.0.9, which is not its address");
    }

    @Test
    void allOfAFloodIsCountedAndLittleOfItSaid() throws Exception {
        String sent = send(FLOOD);

        assertThat(refusal()).isEqualTo("guest-2 is refused udp 192.0.2.7:443");
        process.outputWriter().append('\n').flush();
        int more = 0;
        String line = said.readLine();
        for (; !line.startsWith("Refused["); line = said.readLine()) {
            more++;
        }
        assertThat(line).isEqualTo("Refused[packets=" + sent + ", spoofed=0]");
        assertThat(more).isLessThan(100);
    }
}
