package dev.sallyport.transforms.headerallowlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.WholeProxy;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes over the wire between a client and an origin, byte by byte, with a whole proxy between them. */
class HeaderAllowlistProxyTest {

    private static final int PATIENCE_MILLIS = 20_000;

    @TempDir
    Path folder;

    private ServerSocket origin;
    private WholeProxy proxy;
    private Socket client;

    @BeforeEach
    void start() throws Exception {
        origin = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        origin.setSoTimeout(PATIENCE_MILLIS);
        proxy = WholeProxy.start(
                folder,
                "[{name: header_allowlist, config: {headers: [Accept, X-Keep]}}]",
                null,
                new HeaderAllowlistFactory());
        client = proxy.connect();
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

    private Socket accepted() throws IOException {
        Socket connection = origin.accept();
        connection.setSoTimeout(PATIENCE_MILLIS);
        return connection;
    }

    private static void send(Socket to, String latin1) throws IOException {
        to.getOutputStream().write(latin1.getBytes(StandardCharsets.ISO_8859_1));
        to.getOutputStream().flush();
    }

    private static String readThrough(Socket from, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        try {
            while (!read.toString().endsWith(end)) {
                int next = from.getInputStream().read();
                if (next < 0) {
                    throw new EOFException("closed after: " + read);
                }
                read.append((char) next);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("nothing more after: " + read, e);
        }
        return read.toString();
    }

    @Test
    void whatStaysKeepsCasingAndOrder() throws Exception {
        send(
                client,
                "GET /p HTTP/1.1\r\nx-KEEP: 1\r\nUser-Agent: me\r\nHost: " + host()
                        + "\r\naccept: */*\r\nX-Keep: 2\r\nCookie: a=b\r\nConnection: X-Gone\r\nX-Gone: 3\r\n\r\n");
        try (Socket connection = accepted()) {
            assertThat(readThrough(connection, "\r\n\r\n"))
                    .isEqualTo(
                            "GET /p HTTP/1.1\r\nx-KEEP: 1\r\nHost: " + host() + "\r\naccept: */*\r\nX-Keep: 2\r\n\r\n");
            send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Not-Listed: stays\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).contains("X-Not-Listed: stays");
        }
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"User-Agent\",\"Cookie\"]");
    }

    @Test
    void trailersOnTheWireAreStripped() throws Exception {
        send(
                client,
                "POST /p HTTP/1.1\r\nHost: " + host() + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "4\r\nbody\r\n0\r\nX-Sum: 9\r\nX-Keep: 1\r\n\r\n");
        try (Socket connection = accepted()) {
            String message = readThrough(connection, "0\r\nX-Keep: 1\r\n\r\n");
            assertThat(message.toLowerCase(Locale.ROOT)).contains("transfer-encoding: chunked");
            assertThat(message).contains("body").doesNotContain("X-Sum");
            send(connection, "HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).startsWith("HTTP/1.1 204");
        }
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"X-Sum\"]");
    }

    @Test
    void expectationIsTheOriginsToMeet() throws Exception {
        send(
                client,
                "PUT /p HTTP/1.1\r\nHost: " + host()
                        + "\r\nExpect: 100-continue\r\nX-Gone: 1\r\nContent-Length: 4\r\n\r\n");
        try (Socket connection = accepted()) {
            assertThat(readThrough(connection, "\r\n\r\n"))
                    .contains("Expect: 100-continue")
                    .doesNotContain("X-Gone");
            send(connection, "HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).startsWith("HTTP/1.1 100");
            send(client, "body");
            assertThat(readThrough(connection, "body")).isEqualTo("body");
            send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void originMayTurnDownABodyThatWasAnnounced() throws Exception {
        send(
                client,
                "PUT /p HTTP/1.1\r\nHost: " + host()
                        + "\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
        try (Socket connection = accepted()) {
            assertThat(readThrough(connection, "\r\n\r\n")).contains("Expect: 100-continue");
            send(connection, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void webSocketOpensAndCarriesMessages() throws Exception {
        String key = "dGhlIHNhbXBsZSBub25jZQ==";
        send(
                client,
                "GET /chat HTTP/1.1\r\nHost: " + host()
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://a.test\r\nSec-WebSocket-Key: "
                        + key
                        + "\r\nSec-WebSocket-Protocol: chat\r\nSec-WebSocket-Version: 13\r\n\r\n");
        try (Socket connection = accepted()) {
            assertThat(readThrough(connection, "\r\n\r\n"))
                    .contains("Sec-WebSocket-Key: " + key, "Sec-WebSocket-Protocol: chat")
                    .contains("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
                    .doesNotContain("Origin");
            send(
                    connection,
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: " + acceptance(key) + "\r\n\r\n");
            assertThat(readThrough(client, "\r\n\r\n")).startsWith("HTTP/1.1 101");

            send(client, "\u0081\u0082\0\0\0\0hi");
            assertThat(readThrough(connection, "hi")).isEqualTo("\u0081\u0082\0\0\0\0hi");
            send(connection, "\u0081\u0003you");
            assertThat(readThrough(client, "you")).isEqualTo("\u0081\u0003you");
        }
        client.close();
        assertThat(proxy.audited()).contains("\"stripped_headers\":[\"Origin\"]", "\"status_code\":101");
    }

    private static String acceptance(String key) throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-1")
                .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(hash);
    }
}
