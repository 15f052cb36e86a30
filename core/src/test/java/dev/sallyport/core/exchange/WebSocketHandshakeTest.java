package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http.WebSocketKey;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6455, 4: what the origin is asked, and which of its answers agree. */
class WebSocketHandshakeTest {

    /** The example of RFC 6455, 1.3. */
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private final HeaderBlock asked = new HeaderBlock(8);
    private final RequestMessage request = new RequestMessage("GET", "/", null, asked, 0);

    private WebSocketHandshake asking() {
        asked.append("Sec-WebSocket-Key", KEY);
        WebSocketHandshake handshake = new WebSocketHandshake(true);
        handshake.ask(request, false);
        return handshake;
    }

    private static ResponseMessage answer(String... fields) {
        HeaderBlock headers = new HeaderBlock(8);
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        return new ResponseMessage(101, "Switching Protocols", headers, 0);
    }

    private static ResponseMessage answer(@Nullable String upgrade, @Nullable String connection, @Nullable String key) {
        ResponseMessage answer = answer();
        if (upgrade != null) {
            answer.headers().append("Upgrade", upgrade);
        }
        if (connection != null) {
            answer.headers().append("Connection", connection);
        }
        if (key != null) {
            answer.headers().append("Sec-WebSocket-Accept", key);
        }
        return answer;
    }

    @Test
    void theClientsKeyGoesOnAndTheHopsFieldsAreTheProxys() {
        asked.append("Connection", "keep-alive");
        asked.append("Upgrade", "h2c");
        asking();

        assertThat(asked.all("Sec-WebSocket-Key")).containsExactly(KEY);
        assertThat(asked.all("Connection")).containsExactly("Upgrade");
        assertThat(asked.all("Upgrade")).containsExactly("websocket");
    }

    @Test
    void aClientWithoutAKeyGetsOneThatItNeverSees() {
        WebSocketHandshake handshake = new WebSocketHandshake(false);
        asked.append("Sec-WebSocket-Key", "of nobody");
        handshake.ask(request, false);

        assertThat(asked.count("Sec-WebSocket-Key")).isOne();
        String key = String.valueOf(asked.first("Sec-WebSocket-Key"));
        assertThat(Base64.getDecoder().decode(key)).hasSize(16);
        ResponseMessage answer = answer("websocket", "Upgrade", WebSocketKey.acceptance(key));
        assertThat(handshake.fault(answer)).isNull();
        handshake.conclude(answer);
        assertThat(answer.headers().contains("Sec-WebSocket-Accept")).isFalse();
    }

    @Test
    void aKeyOfTheProxysIsMadeAnewForEachAsking() {
        WebSocketHandshake handshake = new WebSocketHandshake(false);
        handshake.ask(request, false);
        String first = String.valueOf(asked.first("Sec-WebSocket-Key"));
        handshake.ask(request, false);
        String second = String.valueOf(asked.first("Sec-WebSocket-Key"));

        assertThat(second).isNotEqualTo(first);
        assertThat(handshake.fault(answer("websocket", "Upgrade", WebSocketKey.acceptance(first))))
                .isNotNull();
        assertThat(handshake.fault(answer("websocket", "Upgrade", WebSocketKey.acceptance(second))))
                .isNull();
    }

    @Test
    void aClientWithAKeyChecksTheAnswerItself() {
        WebSocketHandshake handshake = asking();
        ResponseMessage answer = answer("websocket", "Upgrade", ACCEPT);
        handshake.conclude(answer);

        assertThat(answer.headers().first("Sec-WebSocket-Accept")).isEqualTo(ACCEPT);
    }

    @Test
    void onlyWhereMessagesAreReadTheOfferIsCut() {
        asked.append("Sec-WebSocket-Extensions", "x-own, permessage-deflate");
        WebSocketHandshake handshake = asking();
        assertThat(asked.all("Sec-WebSocket-Extensions")).containsExactly("x-own, permessage-deflate");

        handshake.ask(request, true);

        assertThat(asked.all("Sec-WebSocket-Extensions")).containsExactly("permessage-deflate");
    }

    @Test
    void ofAnOfferWithoutAnythingUnderstoodNothingIsLeft() {
        asked.append("Sec-WebSocket-Extensions", "x-own");
        asked.append("Sec-WebSocket-Key", KEY);
        new WebSocketHandshake(true).ask(request, true);

        assertThat(asked.contains("Sec-WebSocket-Extensions")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "WebSocket", " websocket "})
    void anAnswerThatAgrees(String upgrade) {
        assertThat(asking().fault(answer(upgrade, "keep-alive, upgrade", " " + ACCEPT + " ")))
                .isNull();
    }

    @Test
    void anotherProtocolIsAFault() {
        WebSocketHandshake handshake = asking();
        for (ResponseMessage answer : new ResponseMessage[] {
            answer(null, "Upgrade", ACCEPT),
            answer("", "Upgrade", ACCEPT),
            answer("h2c", "Upgrade", ACCEPT),
            answer("websocket, h2c", "Upgrade", ACCEPT),
            answer("Upgrade", "websocket", "Upgrade", "websocket", "Connection", "Upgrade"),
        }) {
            assertThat(handshake.fault(answer)).isEqualTo("the origin switches to another protocol than was asked for");
        }
    }

    @Test
    void withoutConnectionUpgradeIsAFault() {
        WebSocketHandshake handshake = asking();

        assertThat(handshake.fault(answer("websocket", null, ACCEPT))).contains("Connection: Upgrade");
        assertThat(handshake.fault(answer("websocket", "upgraded", ACCEPT))).contains("Connection: Upgrade");
    }

    @Test
    void anAcceptanceOfSomethingElseIsAFault() {
        WebSocketHandshake handshake = asking();
        ResponseMessage twice = answer("websocket", "Upgrade", ACCEPT);
        twice.headers().append("Sec-WebSocket-Accept", ACCEPT);

        assertThat(handshake.fault(answer("websocket", "Upgrade", null))).contains("does not belong");
        assertThat(handshake.fault(answer("websocket", "Upgrade", ""))).contains("does not belong");
        assertThat(handshake.fault(answer("websocket", "Upgrade", KEY))).contains("does not belong");
        assertThat(handshake.fault(answer("websocket", "Upgrade", ACCEPT.replace('s', 'S'))))
                .contains("does not belong");
        assertThat(handshake.fault(twice)).contains("does not belong");
    }

    @Test
    void http11IsTurnedDownOnce() {
        WebSocketHandshake handshake = new WebSocketHandshake(true);

        assertThat(handshake.overHttp2Alone()).isTrue();
        assertThat(handshake.overHttp2Alone()).isFalse();
    }
}
