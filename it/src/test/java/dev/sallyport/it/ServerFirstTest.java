package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Protocols in which the server speaks first, where {@code other_tcp} lets them through (docs/spec/decisions.md, section 15a,
 * "Egress"). What the kernel brings is in {@link TransparentTest}.
 */
class ServerFirstTest extends ServerFirstSuite {

    enum Kind {
        CONNECT,
        SOCKS5
    }

    private Wire socks(TestProxy proxy) throws Exception {
        Wire tunnel = proxy.tunnel();
        assertThat(tunnel.send(new byte[] {5, 1, 0}).read(2)).isEqualTo("\5\0");
        int port = origin.getLocalPort();
        tunnel.send(new byte[] {5, 1, 0, 1, 127, 0, 0, 1, (byte) (port >> 8), (byte) port});
        assertThat(tunnel.read(10)).startsWith("\5\0");
        return tunnel;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aServerThatSpeaksFirstIsRelayed(Kind kind) throws Exception {
        try (TestProxy proxy = proxy()) {
            try (Wire client = kind == Kind.CONNECT ? connect(proxy) : socks(proxy);
                    Wire server = accept()) {
                server.send(GREETING);
                assertThat(client.read(GREETING.length())).isEqualTo(GREETING);
                client.send("EHLO a.test\r\n");
                assertThat(server.readLine()).isEqualTo("EHLO a.test");
                server.send("250 STARTTLS\r\n");
                assertThat(client.readLine()).isEqualTo("250 STARTTLS");
                client.send("STARTTLS\r\n\u0016\u0003\u0001");
                assertThat(server.readLine()).isEqualTo("STARTTLS");
                assertThat(server.read(3)).isEqualTo("\u0016\u0003\u0001");
            }

            JsonNode record = assertRecord(proxy, "allow", "");
            assertDialled(record);
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(13 + 10 + 3);
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(GREETING.length() + 14);
            assertNobodyElseComes();
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aGreetingAndItsAnswerMayBeAnyBytes() throws Exception {
        String greeting = "J\0\0\0\n8.0.36\0\1\0\0\0abcdefgh\0";
        String answer = " \0\0\1\205\246\377\0root\0";
        try (TestProxy proxy = proxy();
                Wire client = connect(proxy);
                Wire server = accept()) {
            server.send(greeting);
            assertThat(client.read(greeting.length())).isEqualTo(greeting);
            client.send(answer);
            assertThat(server.read(answer.length())).isEqualTo(answer);
        }
    }

    @Test
    void eitherHalfMayEndByItself() throws Exception {
        try (TestProxy proxy = proxy()) {
            try (Wire client = connect(proxy);
                    Wire server = accept()) {
                server.send(GREETING).endOutput();
                assertThat(client.readToEnd()).isEqualTo(GREETING);
                client.send("last words").endOutput();
                assertThat(server.readToEnd()).isEqualTo("last words");
            }
            assertRecord(proxy, "allow", "");
            try (Wire client = connect(proxy);
                    Wire server = accept()) {
                server.send(GREETING);
                client.read(GREETING.length());
                client.endOutput();
                assertThat(server.readToEnd()).isEmpty();
                server.send("221 bye\r\n").endOutput();
                assertThat(client.readToEnd()).isEqualTo("221 bye\r\n");
            }
            assertRecord(proxy, "allow", "");
        }
    }

    @Test
    void aGreetingMayBeLongerThanAllBuffers() throws Exception {
        String much = "x".repeat(16 << 20);
        try (TestProxy proxy = proxy();
                Wire client = Wire.buffered(connect(proxy).socket());
                Wire server = accept()) {
            Thread sender = Thread.ofVirtual().start(() -> sendAll(server, much));
            assertThat(client.read(much.length())).isEqualTo(much);
            sender.join();
        }
    }

    private static void sendAll(Wire server, String text) {
        try {
            server.send(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The connection that was made meanwhile is the one that is used. */
    @Test
    void aClientThatSpeaksLateIsRelayed() throws Exception {
        try (TestProxy proxy = proxy()) {
            try (Wire client = connect(proxy);
                    Wire server = accept()) {
                client.send(SSH);
                assertThat(server.read(SSH.length())).isEqualTo(SSH);
                server.send("answer");
                assertThat(client.read(6)).isEqualTo("answer");
            }
            assertDialled(assertRecord(proxy, "allow", ""));
            assertNobodyElseComes();
        }
    }

    @Test
    void ofHttpNothingIsSentOnAConnectionThatWasMadeBefore() throws Exception {
        try (TestProxy proxy = proxy();
                Wire client = connect(proxy);
                Wire early = accept()) {
            client.send("GET / HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n");
            assertThat(early.readToEnd()).isEmpty();
            try (Wire server = accept()) {
                assertThat(server.readHead()).startsWith("GET / HTTP/1.1");
                server.ok("answer");
            }
            assertThat(client.message().body()).isEqualTo("answer");

            JsonNode record = proxy.record();
            assertThat(record.at("/audit/protocol").asText()).isEqualTo("http/1.1");
            assertThat(record.at("/audit/path").asText()).isEqualTo("/");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void ofTlsNothingIsSentOnAConnectionThatWasMadeBefore() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy = builder("{other_tcp: true, warn: true}")
                        .certificates(certificates)
                        .start();
                Wire tunnel = connect(proxy);
                Wire early = accept()) {
            Wire client = tunnel.tls(certificates.client, "localhost");
            assertThat(early.readToEnd()).isEmpty();
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            try (Wire server = accept()) {
                assertThat(server.peek(2)).isEqualTo("\u0016\u0003");
            }
            assertThat(client.message().status()).isEqualTo(502);
            assertThat(proxy.record().at("/audit/sni").asText()).isEqualTo("localhost");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    /** SETTINGS of HTTP/2, and a response that nobody asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"\0\0\6\4\0\0\0\0\0\0\3\0\0\0\144", "HTTP/1.1 408 Request Timeout\r\n\r\n"})
    void aServerOfHttpThatSpeaksFirstIsNotRelayed(String first) throws Exception {
        try (TestProxy proxy = proxy();
                Wire client = connect(proxy)) {
            try (Wire early = accept()) {
                early.send(first);
                assertThat(early.readToEnd()).isEmpty();
            }
            client.send("GET / HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n");
            try (Wire server = accept()) {
                server.readHead();
                server.ok("answer");
            }
            assertThat(client.message().body()).isEqualTo("answer");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    /** An origin may say anything to make a relay of it; servers of HTTP and TLS would not mind. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "\r\n\r\nPOST /a HTTP/1.0\n\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "\u0016\u0003\u0001\0\5\1\0\0\1\0"
            })
    void afterAGreetingNoRequestGetsThrough(String request) throws Exception {
        try (TestProxy proxy = proxy()) {
            try (Wire client = connect(proxy);
                    Wire server = accept()) {
                server.send("junk");
                assertThat(client.read(4)).isEqualTo("junk");
                client.send(request);
                assertThat(client.readToEnd()).isEmpty();
                assertThat(server.readToEnd()).isEmpty();
            }
            assertDialled(assertRecord(proxy, "reject", "unseen_request: "));
        }
    }

    @Test
    void whereNeitherSpeaksItEnds() throws Exception {
        try (TestProxy proxy = builder(RANGE).proxyLines(OPEN, LONGER).start()) {
            try (Wire client = connect(proxy);
                    Wire server = accept()) {
                assertThat(client.readToEnd()).isEmpty();
                assertThat(server.readToEnd()).isEmpty();
            }
            assertDialled(assertRecord(proxy, "reject", "request_timeout: "));
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void whoLeavesWithoutAWordTakesTheOriginAlong() throws Exception {
        try (TestProxy proxy = proxy()) {
            Wire client = connect(proxy);
            try (Wire server = accept()) {
                client.close();
                assertThat(server.readToEnd()).isEmpty();
            }
            // The origin may have accepted the connection before the proxy knows of it.
            assertRecord(proxy, "client_cancel", "");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void anOriginThatLeavesWithoutAWordIsNotDialledAgain() throws Exception {
        try (TestProxy proxy = proxy()) {
            try (Wire client = connect(proxy)) {
                accept().reset();
                client.send(SSH);
                assertThat(client.readToEnd()).isEmpty();
            }
            // The proxy may hear of the end before it knows that it was connected.
            assertThat(assertRecord(proxy, "error", "").at("/error").asText())
                    .matches("the origin broke the connection off.*|upstream_unreachable: .*: connection reset");
            assertNobodyElseComes();
        }
    }
}
