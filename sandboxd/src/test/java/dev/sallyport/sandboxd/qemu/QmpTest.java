package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A conversation with a QEMU that is none. */
class QmpTest {

    private static final String GREETING =
            "{\"QMP\": {\"version\": {\"qemu\": {\"major\": 7}}, \"capabilities\": [\"oob\"]}}\r\n";

    @TempDir
    Path folder;

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    private static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private void talk(InputStream in, OutputStream out, String answer) throws IOException {
        say(out, GREETING);
        heard.add(UnixPeer.line(in));
        say(out, "{\"return\": {}}\r\n");
        heard.add(UnixPeer.line(in));
        say(out, answer);
        int unused = in.read(); // until the other end has enough
    }

    private UnixPeer answering(String answer) throws IOException {
        return new UnixPeer(folder.resolve("qmp"), (in, out) -> talk(in, out, answer));
    }

    @Test
    void commandsAreAnsweredWhateverHappensMeanwhile() throws Exception {
        try (UnixPeer peer = answering("""
                        {"event": "STOP", "timestamp": {"seconds": 1}}\r
                        {"return": {"status": "paused", "running": false}}\r
                        """);
                Qmp qmp = Qmp.open(folder.resolve("qmp"))) {
            assertThat(qmp.status()).isEqualTo("paused");
        }
        assertThat(heard).containsExactly("{\"execute\":\"qmp_capabilities\"}", "{\"execute\":\"query-status\"}");
    }

    @Test
    void argumentsGoWithTheirCommand() throws Exception {
        try (UnixPeer peer = answering("{\"return\": {}}\r\n");
                Qmp qmp = Qmp.open(folder.resolve("qmp"))) {
            qmp.execute("migrate", Lines.object().put("uri", "unix:state"));
        }
        assertThat(heard).last().isEqualTo("{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"unix:state\"}}");
    }

    @Test
    void theVersionIsThatOfThePackage() throws Exception {
        try (UnixPeer peer = answering("""
                        {"return": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian 1:7.2"}}\r
                        """);
                Qmp qmp = Qmp.open(folder.resolve("qmp"))) {
            assertThat(qmp.version()).isEqualTo("7.2.22 Debian 1:7.2");
        }
    }

    @Test
    void aRefusalIsToldWithItsReason() throws Exception {
        try (UnixPeer peer = answering("{\"error\": {\"class\": \"GenericError\", \"desc\": \"no way\"}}\r\n");
                Qmp qmp = Qmp.open(folder.resolve("qmp"))) {
            assertThatThrownBy(() -> qmp.execute("cont"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cont: no way");
        }
    }

    @Test
    void whoeverIsNoQemuIsNotBelieved() throws Exception {
        try (UnixPeer peer = new UnixPeer(folder.resolve("qmp"), (in, out) -> say(out, "{\"hello\": 1}\n"))) {
            assertThatThrownBy(() -> Qmp.open(folder.resolve("qmp"))).isInstanceOf(WireException.class);
        }
    }

    @Test
    void anEndlessLineAndEndlessEventsAreCutOff() throws Exception {
        String events = "{\"event\": \"X\"}\n".repeat(1000);
        try (UnixPeer peer = answering(events);
                Qmp qmp = Qmp.open(folder.resolve("qmp"))) {
            assertThatThrownBy(qmp::status).isInstanceOf(WireException.class);
        }
        try (UnixPeer peer = new UnixPeer(folder.resolve("other"), (in, out) -> say(out, "x".repeat(100_000)))) {
            assertThatThrownBy(() -> Qmp.open(folder.resolve("other")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("more than 65536 bytes");
        }
    }
}
