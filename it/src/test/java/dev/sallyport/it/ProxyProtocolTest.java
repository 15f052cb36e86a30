package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code proxy.proxy_protocol}: load balancers that tell who connects. */
@Timeout(120)
class ProxyProtocolTest {

    private static final String V1 = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n";

    @TempDir
    Path folder;

    private TestOrigin origin;

    @BeforeEach
    void open() throws Exception {
        origin = TestOrigin.answering(TestOrigin.ok("hello"));
    }

    @AfterEach
    void close() throws Exception {
        origin.close();
    }

    private TestProxy.Builder proxy(String from) {
        return proxy(from, "10s");
    }

    /** @param patience how long it waits for the first bytes */
    private TestProxy.Builder proxy(String from, String patience) {
        return TestProxy.builder(folder)
                .proxyLines(
                        "upstream_deny_cidrs: []",
                        "proxy_protocol: {from: [" + from + "]}",
                        "limits: {first_bytes_timeout: " + patience + "}");
    }

    private String get() {
        return head("GET / HTTP/1.1", "Host: " + origin.authority());
    }

    private static String remote(JsonNode record) {
        return record.get("audit").get("remote_addr").asText();
    }

    /** A header of version 2. */
    private static byte[] v2(int command, int family, byte[] rest) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.ISO_8859_1));
        out.write(0x20 | command);
        out.write(family);
        out.write(rest.length >> 8);
        out.write(rest.length);
        out.writeBytes(rest);
        return out.toByteArray();
    }

    private static byte[] addresses(int bytesEach, int extension) {
        byte[] rest = new byte[2 * bytesEach + 4 + extension];
        rest[0] = (byte) 192;
        rest[2] = 2;
        rest[3] = 7;
        rest[2 * bytesEach] = 0x12;
        rest[2 * bytesEach + 1] = 0x34;
        if (extension > 0) {
            rest[2 * bytesEach + 4] = (byte) 0xE0;
            rest[2 * bytesEach + 5] = (byte) ((extension - 3) >> 8);
            rest[2 * bytesEach + 6] = (byte) (extension - 3);
        }
        return rest;
    }

    @Test
    void version1NamesTheClientOnEveryListener() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy = proxy("127.0.0.0/8").certificates(certificates).start()) {
            try (Wire http = proxy.http()) {
                assertThat(http.send(V1 + get()).message().body()).isEqualTo("hello");
            }
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:56324");

            try (Wire tunnel = proxy.tunnel()) {
                tunnel.send(V1 + head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: x") + get());
                tunnel.readHead();
                assertThat(tunnel.message().body()).isEqualTo("hello");
            }
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:56324");

            int port = origin.port();
            try (Wire socks = proxy.tunnel()) {
                socks.send(V1 + "\5\1\0\5\1\0\1\177\0\0\1" + (char) (port >> 8) + (char) (port & 0xFF) + get());
                socks.read(12);
                assertThat(socks.message().body()).isEqualTo("hello");
            }
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:56324");

            try (Wire https = proxy.rawHttps().send(V1);
                    Wire inside = new Wire(TestProxy.secure(certificates, https.socket(), "localhost"))) {
                assertThat(inside.send(head("GET / HTTP/1.1", "Host: other.test"))
                                .message()
                                .status())
                        .isEqualTo(421);
            }
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:56324");
        }
    }

    @Test
    void theHeaderMayComeInPieces() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire client = proxy.http()) {
            for (int i = 0; i < V1.length(); i++) {
                client.send(V1.substring(i, i + 1));
            }
            assertThat(client.send(get()).message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:56324");
        }
    }

    @Test
    void version2NamesTheClient() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire v4 = proxy.http();
                Wire v6 = proxy.http()) {
            v4.send(v2(1, 0x11, addresses(4, 100))).send(get());
            assertThat(v4.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:4660");

            byte[] six = addresses(16, 0);
            six[0] = 0x20;
            six[1] = 1;
            v6.send(v2(1, 0x21, six)).send(get());
            assertThat(v6.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).startsWith("[2001:").endsWith(":4660");
        }
    }

    @Test
    void localAndUnknownLeaveTheConnectionsOwnAddress() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire local = proxy.http();
                Wire unknown = proxy.http()) {
            local.send(v2(0, 0x00, new byte[0])).send(get());
            assertThat(local.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).startsWith("127.0.0.1:");

            assertThat(unknown.send("PROXY UNKNOWN\r\n" + get()).message().body())
                    .isEqualTo("hello");
            assertThat(remote(proxy.record())).startsWith("127.0.0.1:");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "PROXY TCP4 192.0.2.700 198.51.100.1 56324 443\r\n",
                "PROXY TCP4 192.0.2.7\r\n",
                "PROXY TCP6 2001:db8::7%1 2001:db8::1 56324 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 99999 443\r\n",
                "PROXY TCP9 192.0.2.7 198.51.100.1 56324 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 and more and more and more and more and more and more and more\r\n",
                "PROXY TCP4 192.0.2.07 198.51.100.1 56324 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 056324 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 56324 0443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 +5632 443\r\n",
                "PROXY TCP4  192.0.2.7 198.51.100.1 56324 443\r\n",
                "\r\n\r\n\0\r\nQUIT\n!\u0011\0\u000exxxxxxxxxxxx\4\0", // two bytes of an extension
                "\r\n\r\n\0\r\nQUIT\n!\u0011\0\u0010xxxxxxxxxxxx\4\0\0x", // one byte behind an extension
                "\r\n\r\n\0\r\nQUIT\n!\u0011\0\u0010xxxxxxxxxxxx \0\1x", // TLS facts that are too short
                "\r\n\r\n\0\r\nQUIT\n1\u0011\0\u000cxxxxxxxxxxxx",
                "\r\n\r\n\0\r\nQUIT\n!\u0011\0\4xxxx",
                "\r\n\r\n\0\r\nQUIT\n!\u0012\0\u000cxxxxxxxxxxxx",
                // an extension that is too long for the header
                "\r\n\r\n\0\r\nQUIT\n!\u0011\0\u0010xxxxxxxxxxxx\4\0\2x",
                "PROXY TCP4 192.0", // and nothing more
                "" // nothing at all
            })
    void anythingElseFromALoadBalancerIsClosedAndRecorded(String bytes) throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1", "1s").start();
                Wire client = proxy.http()) {
            assertThat(client.send(bytes).readToEnd()).isEmpty();

            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("proxy_protocol_error");
            assertThat(remote(record)).startsWith("127.0.0.1:");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void anOversizedHeaderIsRefused() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire client = proxy.http()) {
            client.send(v2(1, 0x11, addresses(4, 5000)));
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.record().get("error").asText()).startsWith("proxy_protocol_error");
        }
    }

    @Test
    void connectionsAreCountedByClient() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "proxy_protocol: {from: [127.0.0.1]}",
                                "limits: {max_connections_per_address: 1}")
                        .start();
                Wire one = proxy.http();
                Wire another = proxy.http();
                Wire oneToo = proxy.http()) {
            assertThat(one.send(V1 + get()).message().body()).isEqualTo("hello");
            assertThat(another.send(V1.replace("192.0.2.7", "192.0.2.8") + get())
                            .message()
                            .body())
                    .isEqualTo("hello");
            assertThat(oneToo.send(V1 + get()).readToEnd()).isEmpty();
        }
    }

    @Test
    void nobodyElseIsBelieved() throws Exception {
        try (TestProxy proxy = proxy("192.0.2.0/24").start();
                Wire liar = proxy.http();
                Wire client = proxy.http()) {
            assertThat(liar.send(V1 + get()).readHead()).startsWith("HTTP/1.1 400");
            assertThat(remote(proxy.record())).startsWith("127.0.0.1:");
            assertThat(client.send(get()).message().body()).isEqualTo("hello");
        }
    }

    @Test
    void aHeaderOfVersion2MayComeInPiecesAndWithExtensions() throws Exception {
        byte[] header = v2(1, 0x11, addresses(4, 8));
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire client = proxy.http()) {
            for (byte b : header) {
                client.send(new byte[] {b});
            }
            assertThat(client.send(get()).message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:4660");
        }
    }

    /** A header of version 2 with these checksums, each right but for what is added to it. */
    private static byte[] withChecksums(int... errors) {
        return withChecksums(1, errors);
    }

    private static byte[] withChecksums(int command, int[] errors) {
        byte[] rest = Arrays.copyOf(addresses(4, 0), 12 + 7 * errors.length + 4);
        for (int i = 0; i < errors.length; i++) {
            rest[12 + 7 * i] = 3;
            rest[12 + 7 * i + 2] = 4;
        }
        rest[rest.length - 4] = 4; // padding behind them
        rest[rest.length - 2] = 1;
        byte[] header = v2(command, 0x11, rest);
        CRC32C sum = new CRC32C();
        sum.update(header);
        for (int i = 0; i < errors.length; i++) {
            ByteBuffer.wrap(header).putInt(16 + 12 + 7 * i + 3, (int) sum.getValue() + errors[i]);
        }
        return header;
    }

    @Test
    void aChecksumIsChecked() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire right = proxy.http();
                Wire wrong = proxy.http();
                Wire twice = proxy.http();
                Wire tooShort = proxy.http()) {
            right.send(withChecksums(0)).send(get());
            assertThat(right.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).isEqualTo("192.0.2.7:4660");

            assertThat(wrong.send(withChecksums(1)).send(get()).readToEnd()).isEmpty();
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText())
                    .startsWith("proxy_protocol_error")
                    .contains("CRC32C");
            assertThat(remote(record)).startsWith("127.0.0.1:");

            assertThat(twice.send(withChecksums(0, 0)).send(get()).readToEnd()).isEmpty();
            assertThat(proxy.record().get("error").asText()).startsWith("proxy_protocol_error");

            byte[] three = Arrays.copyOf(addresses(4, 0), 12 + 6);
            three[12] = 3;
            three[14] = 3;
            assertThat(tooShort.send(v2(1, 0x11, three)).send(get()).readToEnd())
                    .isEmpty();
            assertThat(proxy.record().get("error").asText()).startsWith("proxy_protocol_error");
        }
    }

    /** Health checks of load balancers: what they say of addresses is nobody's (2.2). */
    @Test
    void localWithAddressesLeavesTheConnectionsOwnAddress() throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire local = proxy.http()) {
            local.send(v2(0, 0x11, addresses(4, 8))).send(get());
            assertThat(local.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).startsWith("127.0.0.1:");
        }
    }

    /** Such a connection is valid, and all that follows its length is to be discarded (2.2), a checksum too. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void ofLocalNotEvenTheChecksumCounts(int error) throws Exception {
        try (TestProxy proxy = proxy("127.0.0.1").start();
                Wire local = proxy.http()) {
            local.send(withChecksums(0, new int[] {error})).send(get());
            assertThat(local.message().body()).isEqualTo("hello");
            assertThat(remote(proxy.record())).startsWith("127.0.0.1:");
        }
    }
}
