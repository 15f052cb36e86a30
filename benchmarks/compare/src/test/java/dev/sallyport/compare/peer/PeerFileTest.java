package dev.sallyport.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeerFileTest {

    @Test
    void aFileHasKeysAndThenFilesToWrite() {
        Peer peer = PeerFile.parse("sample", """
                # a comment
                title: Sample: a proxy
                needs: sample, /etc/sample
                can: http mitm
                env: LEVEL=a=b
                prepare: one
                prepare: two
                start: sample -c @work@/sample.conf

                --- sample.conf
                # port: no key of ours
                port @port@
                --- empty
                """);

        assertThat(peer)
                .isEqualTo(new Peer(
                        "sample",
                        "Sample: a proxy",
                        List.of("sample", "/etc/sample"),
                        "",
                        "",
                        Set.of(Ability.HTTP, Ability.MITM),
                        Map.of("LEVEL", "a=b"),
                        List.of("one", "two"),
                        "sample -c @work@/sample.conf",
                        Map.of("sample.conf", "# port: no key of ours\nport @port@\n", "empty", "")));
        assertThat(peer.direct()).isFalse();
    }

    @Test
    void problemsSayWhereAndWhatWasExpected() {
        assertThatThrownBy(() -> PeerFile.parse("sample", "title: Sample\ntilte: x\n"))
                .hasMessage("sample.peer:2: unknown key \"tilte\" (expected: title, needs, install, version, can, env, "
                        + "prepare, start)");
        assertThatThrownBy(() -> PeerFile.parse("sample", "title: Sample\ncan: htpp\n"))
                .hasMessageContaining("can: htpp (expected: http, mitm,");
        assertThatThrownBy(() -> PeerFile.parse("sample", "title: Sample\n")).hasMessageContaining("can is missing");
        assertThatThrownBy(() -> PeerFile.parse("sample", "title: a\ntitle: b\n"))
                .hasMessage("sample.peer:2: title is there twice");
    }

    @Test
    void allPeersOfTheHarnessCanBeRead() throws IOException {
        Map<String, Peer> peers = PeerFile.folder(Path.of("peers"));

        assertThat(peers)
                .containsKeys(
                        "bare",
                        "bare-http",
                        "direct",
                        "haproxy",
                        "littleproxy",
                        "mitmproxy",
                        "mockserver",
                        "nginx",
                        "sallyport",
                        "squid",
                        "tinyproxy");
        assertThat(peers.values())
                .filteredOn(Peer::direct)
                .extracting(Peer::name)
                .containsExactly("direct");
        assertThat(peers.get("sallyport").files())
                .containsKeys("open.yaml", "five.yaml", "rules-10.yaml", "rules-10000.yaml");
    }

    @Test
    void namesBecomeValuesAndLinesAreRepeated() {
        assertThat(Template.fill("port @port@ {type: env}\n@repeat 3   - a#: $1 @port@\nend", Map.of("port", "1$2")))
                .isEqualTo("port 1$2 {type: env}\n  - a0: $1 1$2\n  - a1: $1 1$2\n  - a2: $1 1$2\nend");
    }

    @Test
    void aNameWithoutAValueIsAProblem() {
        assertThatThrownBy(() -> Template.fill("@prot@", Map.of("port", "1")))
                .hasMessage("@prot@: no such value (expected: one of [port])");
    }
}
