package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An origin that a test plays itself, for clients that are silent in their tunnels. */
@Timeout(120)
abstract class ServerFirstSuite {

    static final String GREETING = "220 mail.test ESMTP\r\n";
    static final String SSH = "SSH-2.0-test\r\n";
    static final String RANGE = "{other_tcp: true, cidrs: [127.0.0.0/8]}";
    static final String OPEN = "upstream_deny_cidrs: []";

    /** Long enough for an origin to be dialled, also on a busy machine. */
    static final String LONGER = "limits: {first_bytes_timeout: 2s}";

    @TempDir
    Path folder;

    ServerSocket origin;

    @BeforeEach
    void listen() throws IOException {
        origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        origin.setSoTimeout(Patience.MILLIS);
    }

    @AfterEach
    void listenNoMore() throws IOException {
        origin.close();
    }

    TestProxy.Builder builder(String allowlist) {
        return TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: [{name: allowlist, config: " + allowlist + "}]\n");
    }

    TestProxy proxy() throws Exception {
        return builder(RANGE).start();
    }

    String authority() {
        return "127.0.0.1:" + origin.getLocalPort();
    }

    Wire connect(TestProxy proxy, String... lines) throws Exception {
        Wire tunnel = proxy.tunnel();
        tunnel.send("CONNECT " + authority() + " HTTP/1.1\r\nHost: " + authority() + "\r\n" + String.join("", lines)
                + "\r\n");
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        return tunnel;
    }

    Wire accept() throws IOException {
        return new Wire(origin.accept());
    }

    /** The kernel would have accepted it. */
    void assertNobodyElseComes() throws IOException {
        origin.setSoTimeout(1);
        assertThatThrownBy(() -> origin.accept()).isInstanceOf(SocketTimeoutException.class);
    }

    JsonNode assertRecord(TestProxy proxy, String action, String error) throws Exception {
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/action").asText()).isEqualTo(action);
        assertThat(record.at("/audit/protocol").asText()).isEqualTo("tcp");
        assertThat(record.at("/audit/host").asText()).isEqualTo("127.0.0.1");
        assertThat(record.at("/error").asText()).startsWith(error);
        return record;
    }

    void assertDialled(JsonNode record) {
        assertThat(record.at("/audit/upstream_addr").asText()).isEqualTo(authority());
        assertThat(record.at("/tunnel").isMissingNode()).isFalse();
    }
}
