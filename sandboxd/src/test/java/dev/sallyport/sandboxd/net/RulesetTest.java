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

    private final Inet4Address first = address("10.77.0.2");
    private final Inet4Address second = address("10.77.0.3");
    private final Ruleset rules = new Ruleset(new GatePlan(address("10.77.0.0"), 16, 10_080, 10_053, 1024));

    private static Inet4Address address(String text) {
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
        Process nft = new ProcessBuilder(namespace.command(List.of("nft", "-f", "-")))
                .redirectErrorStream(true)
                .start();
        nft.outputWriter().append(text).close();
        assertThat(new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(nft.waitFor()).isZero();
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
