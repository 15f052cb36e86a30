package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Rule;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code other_tcp} of {@code allowlist}: what is neither HTTP nor TLS (docs/spec/decisions.md, section 15a, "Egress"). */
@Timeout(120)
class OtherTcpTest {

    private static final String BANNER = "SSH-2.0-test\r\n";
    private static final String RANGE = "{other_tcp: true, cidrs: [127.0.0.0/8]}";

    @TempDir
    Path folder;

    private ServerSocket origin;

    @BeforeEach
    void listen() throws IOException {
        origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void listenNoMore() throws IOException {
        origin.close();
    }

    private TestProxy.Builder builder(String allowlist) {
        return TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: [{name: allowlist, config: " + allowlist + "}]\n");
    }

    private Wire connect(TestProxy proxy, String host, String... lines) throws Exception {
        Wire tunnel = proxy.tunnel();
        String target = host + ":" + origin.getLocalPort();
        tunnel.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n" + String.join("", lines) + "\r\n");
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        return tunnel;
    }

    private void assertRelayed(TestProxy proxy, String host) throws Exception {
        try (Wire client = connect(proxy, host)) {
            client.send(BANNER);
            try (Wire server = new Wire(origin.accept())) {
                assertThat(server.read(BANNER.length())).isEqualTo(BANNER);
                server.send("\0\1answer");
                assertThat(client.read(8)).isEqualTo("\0\1answer");
            }
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    private void assertClosed(TestProxy proxy, String host, String error) throws Exception {
        try (Wire client = connect(proxy, host)) {
            client.send(BANNER);
            assertEnds(client);
        }
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/error").asText()).startsWith(error);
    }

    @Test
    void isRelayedToAnAddressInsideARange() throws Exception {
        try (TestProxy proxy = builder(RANGE).start()) {
            assertRelayed(proxy, "127.0.0.1");

            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/audit/protocol").asText()).isEqualTo("tcp");
            assertThat(record.at("/audit/host").asText()).isEqualTo("127.0.0.1");
            assertThat(record.at("/audit/upstream_addr").asText()).isEqualTo("127.0.0.1:" + origin.getLocalPort());
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(BANNER.length());
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(8);
            assertThat(record.at("/tunnel").isMissingNode()).isFalse();
            assertThat(proxy.nextRecord()).as("of the tunnel").isNull();
        }
    }

    /** Such as {@code printf ... | nc -N}: its half has ended before the origin is reached. */
    @Test
    void theEndOfWhatTheClientSendsIsPassedOn() throws Exception {
        try (TestProxy proxy = builder(RANGE).start();
                Wire client = connect(proxy, "127.0.0.1")) {
            client.send(BANNER).endOutput();
            try (Wire server = new Wire(origin.accept())) {
                assertThat(server.readToEnd()).isEqualTo(BANNER);
                server.send("answer");
            }
            assertThat(client.readToEnd()).isEqualTo("answer");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("allow");
        }
    }

    /** The next connection that is not empty: one may have been made while the client was silent. */
    private Wire acceptRequest() throws IOException {
        Wire server = new Wire(origin.accept());
        while (server.peek(1).isEmpty()) {
            server.close();
            server = new Wire(origin.accept());
        }
        return server;
    }

    /** Other protocols in a tunnel where something else would be relayed. */
    @Test
    void whoHasEndedItsHalfIsStillServedOverHttp() throws Exception {
        try (TestProxy proxy = builder(RANGE).start();
                Wire client = connect(proxy, "127.0.0.1")) {
            client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + origin.getLocalPort() + "\r\n\r\n")
                    .endOutput();
            try (Wire server = acceptRequest()) {
                server.readHead();
                server.ok("answer");
            }
            assertThat(client.message().body()).isEqualTo("answer");
        }
    }

    /** Servers ignore empty lines before a request. */
    @Test
    void emptyLinesDoNotMakeSomethingElseOfHttp() throws Exception {
        try (TestProxy proxy = builder(RANGE).start()) {
            try (Wire client = connect(proxy, "127.0.0.1")) {
                client.send("\r\n");
                try (Wire server = new Wire(origin.accept())) {
                    assertThat(server.read(2)).isEqualTo("\r\n");
                    client.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
                    assertThat(server.readToEnd()).isEmpty();
                }
                assertEnds(client);
            }
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.at("/error").asText()).startsWith("unseen_request: ");
            assertThat(record.at("/audit/response_bytes").asInt()).isZero();
        }
    }

    @Test
    void whoSaysNothingAndLeavesIsClosed() throws Exception {
        try (TestProxy proxy = builder(RANGE).start();
                Wire client = connect(proxy, "127.0.0.1")) {
            assertThat(client.endOutput().readToEnd()).isEmpty();
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("client_cancel");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{cidrs: [127.0.0.0/8]}",
                "{other_tcp: true, domains: ['*']}",
                "{other_tcp: true, domains: [127.0.0.1], cidrs: [127.0.0.128/25]}",
                "{other_tcp: true, domains: [127.0.0.1], rules: [{cidr: 127.0.0.0/8, methods: [GET]}]}",
                "{other_tcp: true, domains: [127.0.0.1], rules: [{cidr: 127.0.0.0/8, paths: [/a]}]}",
                "{other_tcp: true, domains: [127.0.0.1], rules: [{cidr: 127.0.0.0/8, scheme: http}]}",
                "{other_tcp: true, domains: [127.0.0.1], rules: [{cidr: 127.0.0.0/8, ports: [1]}]}",
            })
    void isClosedElsewhere(String allowlist) throws Exception {
        try (TestProxy proxy = builder(allowlist).start()) {
            assertClosed(proxy, "127.0.0.1", "unknown_protocol");
        }
    }

    @Test
    void isClosedWhereAnotherGateDoesNotAgree() throws Exception {
        Capabilities other =
                Capabilities.builder().admits(List.of(Rule.host("*"))).build();
        try (TestProxy proxy = builder(RANGE)
                .transform("other", other, (InlineTransform) request -> Decision.proceed())
                .start()) {
            assertClosed(proxy, "127.0.0.1", "unknown_protocol");
        }
    }

    @Test
    void isClosedWhereATransformHasToLookAtRequests() throws Exception {
        Capabilities judge = Capabilities.builder()
                .scope(List.of(Rule.cidr("127.0.0.0/8")))
                .restricts()
                .build();
        try (TestProxy proxy = builder(RANGE)
                .transform("judge", judge, (InlineTransform) request -> Decision.proceed())
                .start()) {
            assertClosed(proxy, "127.0.0.1", "unknown_protocol");
        }
    }

    @Test
    void isRelayedEverywhereByAListThatOnlyWarns() throws Exception {
        try (TestProxy proxy = builder("{other_tcp: true, warn: true}").start()) {
            assertRelayed(proxy, "localhost");

            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/request_transforms/0/annotations/action").asText())
                    .isEqualTo("warn");
        }
    }

    /** The rest of the pipeline is asked as where only the host is known. */
    @Test
    void isRefusedByAnyTransform() throws Exception {
        try (TestProxy proxy = builder(RANGE)
                .transform("never", (InlineTransform) request -> Decision.reject(403, "never", "Never."))
                .start()) {
            assertClosed(proxy, "127.0.0.1", "");
        }
    }

    @Test
    void endsWithTheRuleThatLetItThrough() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .start()) {
            Tenants.applyAll(proxy, job(RANGE));
            try (Wire client = connect(proxy, "127.0.0.1", Tenants.as("job") + "\r\n")) {
                client.send(BANNER);
                try (Wire server = new Wire(origin.accept())) {
                    server.read(BANNER.length());

                    Tenants.applyAll(proxy, job("{other_tcp: true, domains: [127.0.0.1]}"));

                    assertEnds(client);
                    JsonNode record = proxy.record();
                    assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
                    assertThat(record.at("/error").asText()).startsWith("policy_changed");
                }
            }
        }
    }

    private static void assertEnds(Wire client) throws IOException {
        try {
            assertThat(client.readToEnd()).isEmpty();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private static PipelineUpdate.Builder job(String allowlist) {
        return PipelineUpdate.builder()
                .upsert(Tenants.user("job")
                        .pipeline(PipelineSpec.of("transforms: [{name: allowlist, config: " + allowlist + "}]\n"))
                        .build());
    }
}
