package dev.sallyport.it.dns;

import static dev.sallyport.testsupport.DnsClient.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.testsupport.DnsClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CNAMEs among the static records come to an end: those that do not are refused, and could not hang the server either. */
class DnsAliasesTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a.test>a.test                            | 0 | a.test -> a.test
            a.test>A.Test.                           | 0 | a.test -> a.test
            a.test>b.test, b.test>a.test             | 0 | a.test -> b.test -> a.test
            A.TEST>b.test, B.test.>a.test            | 0 | a.test -> b.test -> a.test
            x.test>a.test, a.test>b.test, b.test>a.test | 1 | a.test -> b.test -> a.test
            b.test>c.test, a.test>b.test, c.test>b.test | 0 | b.test -> c.test -> b.test
            """)
    void aRoundIsRefusedAtItsFirstRecord(String links, int index, String round) {
        assertThatThrownBy(() -> Steering.start(folder, lines(links)).close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/dns/records/" + index + ": a cycle of CNAMEs: " + round
                        + " (expected: a CNAME that leads to an A record, or to a name that is not in the list)")
                .satisfies(thrown -> assertThat(thrown.getMessage().split("a cycle of CNAMEs", -1))
                        .hasSize(2));
    }

    @Test
    void twoRoundsAreToldBoth() {
        assertThatThrownBy(() -> Steering.start(folder, lines("a.test>b.test, b.test>a.test, c.test>c.test"))
                        .close())
                .hasMessageContaining("/dns/records/0: a cycle of CNAMEs: a.test -> b.test -> a.test")
                .hasMessageContaining("/dns/records/2: a cycle of CNAMEs: c.test -> c.test");
    }

    /** In whichever order its links stand: 16 are followed, 17 refused. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChainHasAnEnd(boolean reversed) throws Exception {
        try (Steering dns = Steering.start(folder, lines(chain(16, reversed)))) {
            assertThat(dns.ask(ask("n0.test", "A").edns(1232)).answers).hasSize(17);
        }
        assertThatThrownBy(
                        () -> Steering.start(folder, lines(chain(17, reversed))).close())
                .hasMessageContaining("/dns/records/" + (reversed ? 16 : 0)
                        + ": a chain of 17 CNAMEs that begins at n0.test (expected: at most 16)");
    }

    /** As the check does not see it, or an embedder makes the section by hand. */
    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void whatSlippedThroughIsAnsweredWithServfailAndHangsNobody(String transport) throws Exception {
        List<DnsSection.StaticRecord> records = new ArrayList<>();
        for (String link : ("a.corp.test>b.corp.test, b.corp.test>A.corp.test., " + chain(17, false)).split(", ", -1)) {
            String[] ends = link.split(">", -1);
            records.add(new DnsSection.StaticRecord(ends[0], DnsSection.RecordType.CNAME, ends[1]));
        }
        DnsSection good = section();
        DnsSection bad = new DnsSection(
                true,
                good.listen(),
                good.proxyIp(),
                null,
                good.upstreamResolver(),
                List.of("*.corp.test"),
                records,
                good.limits());
        try (EventLoops loops = EventLoops.single("dns-test");
                DnsServer server = DnsServer.start(loops.group().next(), bad)) {
            for (String name : List.of("a.corp.test", "A.CORP.test", "n0.test")) {
                byte[] query = ask(name, "A").bytes();
                DnsClient.Message answer = transport.equals("udp")
                        ? DnsClient.udp(server.address(), query)
                        : DnsClient.tcp(server.address(), query);
                assertThat(answer.rcode()).as("SERVFAIL for " + name).isEqualTo(2);
                assertThat(answer.answers).isEmpty();
            }
            assertThat(DnsClient.udp(server.address(), ask("other.test", "A").bytes())
                            .data())
                    .containsExactly("A 192.0.2.1");
            assertThat(server.stats().failed()).isEqualTo(3);
        }
    }

    private static DnsSection section() {
        String text = "dns: {listen: '127.0.0.1:0', proxy_ip: 192.0.2.1}\ntls: {mode: sni-only}\n";
        ConfigResult result =
                ConfigLoader.load("f.yaml", text, Path.of(""), Map.of(), PluginCatalog.of(List.of(), List.of()));
        return ((ConfigResult.Loaded) result).config().dns();
    }

    private static String chain(int links, boolean reversed) {
        List<String> chain = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            String link = "n" + i + ".test>n" + (i + 1) + ".test";
            chain.add(reversed ? 0 : i, link);
        }
        return String.join(", ", chain);
    }

    private static String[] lines(String links) {
        List<String> lines = new ArrayList<>(List.of("proxy_ip: 192.0.2.1", "records:"));
        for (String link : links.split(", ", -1)) {
            String[] ends = link.split(">", -1);
            lines.add("- {name: " + ends[0] + ", type: CNAME, value: " + ends[1] + "}");
        }
        return lines.toArray(String[]::new);
    }
}
