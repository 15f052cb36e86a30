package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Placeholders in the text messages of a client, between a WebSocket library on either side of a whole proxy. */
class WebSocketTest {

    private static final String HERE = "api.localhost";
    private static final String ELSEWHERE = "evil.localhost";
    private static final String SOURCE = "{type: fake, name: TOKEN}";

    @TempDir
    Path folder;

    private final FakeSecrets values = new FakeSecrets().set("TOKEN", "r34l\"value");
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final WebSocketPeers peers = new WebSocketPeers();

    @AfterEach
    void end() {
        peers.close();
    }

    private EgressProxy proxy(String source, String more) throws Exception {
        return Proxies.start(folder, audit, values, "", List.of(Proxies.entry(source, more)));
    }

    private String audited() {
        return audit.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void textIsSwappedAndEscapedInsideJson(boolean compressed) throws Exception {
        try (EgressProxy proxy = proxy(SOURCE, "");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), HERE, compressed)) {
            assertThat(client.compresses()).isEqualTo(compressed);
            for (String message : List.of(" {\"t\": \"PLACEHOLDER\"}", "SEND PLACEHOLDER PLACEHOLDER", "nothing")) {
                client.send(new TextWebSocketFrame(message));
            }

            assertThat(peers.arrived()).isEqualTo(" {\"t\": \"r34l\\\"value\"}");
            assertThat(peers.arrived()).isEqualTo("SEND r34l\"value r34l\"value");
            assertThat(peers.arrived()).isEqualTo("nothing");
            assertThat(client.echo()).isEqualTo(" {\"t\": \"PLACEHOLDER\"}");
            assertThat(client.echo()).isEqualTo("SEND PLACEHOLDER PLACEHOLDER");
            assertThat(client.echo()).isEqualTo("nothing");
        }
        assertThat(audited())
                .contains("\"redacted\":[{\"secret\":\"TOKEN\",\"locations\":[\"message\"]}]")
                .contains("\"swapped\":[{\"secret\":\"TOKEN\",\"locations\":[\"message\"]}]")
                .doesNotContain("r34l");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void placeholdersThatFragmentsTakeApartAreFound(boolean compressed) throws Exception {
        try (EgressProxy proxy = proxy(SOURCE, "");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), HERE, compressed)) {
            assertThat(client.compresses()).isEqualTo(compressed);
            client.send(
                    new TextWebSocketFrame(false, 0, "one PLACE"),
                    new PingWebSocketFrame(),
                    new ContinuationWebSocketFrame(false, 0, "HOL"),
                    new ContinuationWebSocketFrame(true, 0, "DER."));

            assertThat(peers.arrived()).isEqualTo("one r34l\"value.");
            assertThat(client.echo()).isEqualTo("one PLACEHOLDER.");
        }
    }

    @Test
    void binaryMessagesAreLeftAlone() throws Exception {
        try (EgressProxy proxy = proxy(SOURCE, "");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), HERE, true)) {
            client.send(new BinaryWebSocketFrame(Unpooled.copiedBuffer("PLACEHOLDER", StandardCharsets.UTF_8)));

            assertThat(peers.arrived()).isEqualTo("binary PLACEHOLDER");
        }
    }

    @Test
    void aPlaceholderWithoutAValueEndsTheConnection() throws Exception {
        try (EgressProxy proxy = proxy("{type: fake, name: MISSING, optional: true}", "");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), HERE, false)) {
            client.send(new TextWebSocketFrame("nothing"));
            assertThat(peers.arrived()).isEqualTo("nothing");

            client.send(new TextWebSocketFrame("a PLACEHOLDER"));
            client.awaitEnd();
        }
        assertThat(peers.nothingMoreArrived()).isTrue();
    }

    @Test
    void messagesToOtherDestinationsAreNotTakenApart() throws Exception {
        try (EgressProxy proxy = proxy(SOURCE, "");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), ELSEWHERE, true)) {
            client.send(new TextWebSocketFrame("a PLACEHOLDER"));

            assertThat(peers.arrived()).isEqualTo("a PLACEHOLDER");
            assertThat(client.echo()).isEqualTo("a PLACEHOLDER");
        }
        assertThat(audited()).contains("evil.localhost").doesNotContain("swapped", "r34l");
    }

    @Test
    void rejectEndsTheConnectionThatTakesAPlaceholderElsewhere() throws Exception {
        try (EgressProxy proxy = proxy(SOURCE, ", on_misdirect: reject");
                WebSocketPeers.Client client = peers.open(proxy.httpAddress(), ELSEWHERE, true)) {
            client.send(new TextWebSocketFrame("nothing"));
            assertThat(peers.arrived()).isEqualTo("nothing");

            client.send(new TextWebSocketFrame("{\"t\": \"PLACEHOLDER\"}"));
            client.awaitEnd();
        }
        assertThat(peers.nothingMoreArrived()).isTrue();
        assertThat(audited())
                .contains("\"placeholder_misdirected\":[{\"secret\":\"TOKEN\",\"locations\":[\"message\"]}]");
    }
}
