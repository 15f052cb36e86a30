package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

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

    @RegisterExtension
    final GateNetwork network = new GateNetwork(2);

    private GateProcess gate;

    @BeforeEach
    void start() throws Exception {
        gate = network.start();
        gate.assume("counted, and not logged", "nfnetlink_log");
    }

    private String send(String script) throws IOException, InterruptedException {
        return Tools.run(network.guest(2).command(List.of("perl", "-e", script)));
    }

    @Test
    void whatIsRefusedIsSaidOfTheGuest() throws Exception {
        send(RulesetTest.PROBE);

        assertThat(gate.refusal()).isEqualTo("guest-2 is refused icmp 192.0.2.7 type 8");
        assertThat(gate.refusal()).isEqualTo("guest-2 is refused udp 192.0.2.7:443");
    }

    @Test
    void soIsAnAddressThatIsNotTheGuests() throws Exception {
        send(OTHER_SENDER);

        assertThat(gate.refusal())
                .isEqualTo("guest-2 is refused protocol 132 192.0.2.8 from 10.77.0.9, which is not its address");
    }

    @Test
    void allOfAFloodIsCountedAndLittleOfItSaid() throws Exception {
        String sent = send(FLOOD);

        assertThat(gate.refusal()).isEqualTo("guest-2 is refused udp 192.0.2.7:443");
        gate.ask("10.77.0.2");
        int more = 0;
        String line = gate.line();
        for (; !line.startsWith("Refused["); line = gate.line()) {
            more++;
        }
        assertThat(line).isEqualTo("Refused[packets=" + sent + ", spoofed=0]");
        assertThat(more).isLessThan(100);
    }
}
