package dev.sallyport.transforms.headerallowlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.WholeProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes over the wire between a client and an origin, byte by byte, with a whole proxy between them. */
class HeaderAllowlistProxyTest {

    private static final int PATIENCE_MILLIS = Patience.MILLIS;

    @TempDir
    Path folder;

    private ServerSocket origin;
    private WholeProxy proxy;
    private Wire client;

    @BeforeEach
    void start() throws Exception {
        origin = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        origin.setSoTimeout(PATIENCE_MILLIS);
        proxy = WholeProxy.start(
                folder,
                "[{name: header_allowlist, config: {headers: [Accept, X-Keep]}}]",
                null,
                new HeaderAllowlistFactory());
        client = new Wire(proxy.connect());
    }

    @AfterEach
    void end() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    private String host() {
        return "localhost:" + origin.getLocalPort();
    }

    private Wire accepted() throws IOException {
        return new Wire(origin.accept());
    }

    @Test
    void whatStaysKeepsCasingAndOrder() throws Exception {
        client.send("GET /p HTTP/1.1\r\nx-KEEP: 1\r\nUser-Agent: me\r\nHost: " + host()
                + "\r\naccept: */*\r\nX-Keep: 2\r\nCookie: a=b\r\nConnection: X-Gone\r\nX-Gone: 3\r\n\r\n");
        try (Wire connection = accepted()) {
            assertThat(connection.readThrough("\r\n\r\n"))
                    .isEqualTo(
                            "GET /p HTTP/1.1\r\nx-KEEP: 1\r\nHost: " + host() + "\r\naccept: */*\r\nX-Keep: 2\r\n\r\n");
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Not-Listed: stays\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).contains("X-Not-Listed: stays");
        }
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"User-Agent\",\"Cookie\"]");
    }

    @Test
    void trailersOnTheWireAreStripped() throws Exception {
        client.send("POST /p HTTP/1.1\r\nHost: " + host() + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "4\r\nbody\r\n0\r\nX-Sum: 9\r\nX-Keep: 1\r\n\r\n");
        try (Wire connection = accepted()) {
            String message = connection.readThrough("0\r\nX-Keep: 1\r\n\r\n");
            assertThat(message.toLowerCase(Locale.ROOT)).contains("transfer-encoding: chunked");
            assertThat(message).contains("body").doesNotContain("X-Sum");
            connection.send("HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 204");
        }
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"X-Sum\"]");
    }

    @Test
    void expectationIsTheOriginsToMeet() throws Exception {
        client.send("PUT /p HTTP/1.1\r\nHost: " + host()
                + "\r\nExpect: 100-continue\r\nX-Gone: 1\r\nContent-Length: 4\r\n\r\n");
        try (Wire connection = accepted()) {
            assertThat(connection.readThrough("\r\n\r\n"))
                    .contains("Expect: 100-continue")
                    .doesNotContain("X-Gone");
            connection.send("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 100");
            client.send("body");
            assertThat(connection.readThrough("body")).isEqualTo("body");
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void originMayTurnDownABodyThatWasAnnounced() throws Exception {
        client.send("PUT /p HTTP/1.1\r\nHost: " + host()
                + "\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
        try (Wire connection = accepted()) {
            assertThat(connection.readThrough("\r\n\r\n")).contains("Expect: 100-continue");
            connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void webSocketOpensAndCarriesMessages() throws Exception {
        String key = "dGhlIHNhbXBsZSBub25jZQ==";
        client.send("GET /chat HTTP/1.1\r\nHost: " + host()
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://a.test\r\nSec-WebSocket-Key: "
                + key
                + "\r\nSec-WebSocket-Protocol: chat\r\nSec-WebSocket-Version: 13\r\n\r\n");
        try (Wire connection = accepted()) {
            assertThat(connection.readThrough("\r\n\r\n"))
                    .contains("Sec-WebSocket-Key: " + key, "Sec-WebSocket-Protocol: chat")
                    .contains("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
                    .doesNotContain("Origin");
            connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: " + WebSocketFrames.accept(key)
                    + "\r\n\r\n");
            assertThat(client.readThrough("\r\n\r\n")).startsWith("HTTP/1.1 101");

            client.send("\u0081\u0082\0\0\0\0hi");
            assertThat(connection.readThrough("hi")).isEqualTo("\u0081\u0082\0\0\0\0hi");
            connection.send("\u0081\u0003you");
            assertThat(client.readThrough("you")).isEqualTo("\u0081\u0003you");
        }
        client.close();
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"Origin\"]", "\"status_code\":101");
    }
}
