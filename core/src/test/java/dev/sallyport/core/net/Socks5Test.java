package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.net.FakeExchanges.FakeTunnel;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SOCKS5 on the tunnel listener (RFC 1928, RFC 1929; docs/spec/decisions.md, section 3). */
class Socks5Test {

    private static final String GREETING = "\5\1\0";
    private static final String SELECTED = "\5\0";
    private static final String SUCCEEDED = "\5\0\0\1\0\0\0\0\0\0";

    /** CONNECT to {@code a.test:80}. */
    private static final String REQUEST = "\5\1\0\3\6a.test\0\120";

    private static final String GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = new Proxy(Limits.DEFAULTS);
    }

    @AfterEach
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    private Wire tunnel(String request) throws IOException {
        Wire client = Wire.to(proxy.tunnel.address());
        assertThat(client.send(GREETING).read(2)).isEqualTo(SELECTED);
        assertThat(client.send(request).read(10)).isEqualTo(SUCCEEDED);
        return client;
    }

    private FakeExchanges.Refused recorded() {
        await().until(() -> !proxy.exchanges.recorded.isEmpty());
        assertThat(proxy.exchanges.recorded).hasSize(1);
        return proxy.exchanges.recorded.getFirst();
    }

    private static String reply(int code) {
        return "\5" + (char) code + "\0\1\0\0\0\0\0\0";
    }

    @Test
    void whatIsSpokenInsideIsJudgedAsInsideConnect() throws IOException {
        try (Wire client = tunnel(REQUEST)) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:80 /x 0");
            assertThat(client.get("/x", "b.test").status()).isEqualTo(421);
        }
        var connection = proxy.exchanges.begun.getFirst().connection();
        assertThat(connection.tunnelTarget()).isEqualTo("a.test:80");
        assertThat(connection.protocol()).isEqualTo("http/1.1");
        FakeTunnel tunnel = proxy.exchanges.tunnels.getFirst();
        await().until(() -> proxy.listeners.connections() == 0);
        assertThat(tunnel.uses.get()).isEqualTo(1);
        assertThat(tunnel.ending()).isEmpty();
    }

    @Test
    void tlsInsideIsIntercepted() throws IOException {
        try (Wire client = tunnel("\5\1\0\3\6a.test\1\273").tls(proxy.clientTls(), "a.test")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:443 /x 0");
        }
        assertThat(proxy.exchanges.begun.getFirst().connection().transport()).isEqualTo("tls");
    }

    @Test
    void anAddressStandsForTheNameInside() throws IOException {
        try (Wire client = tunnel("\5\1\0\1\300\0\2\1\0\120")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:80 /x 0");
            assertThat(client.get("/x", "192.0.2.1").body()).isEqualTo("GET 192.0.2.1:80 /x 0");
            assertThat(client.get("/x", "192.0.2.2").status()).isEqualTo(421);
        }
        assertThat(proxy.exchanges.begun.getFirst().connection().tunnelTarget()).isEqualTo("192.0.2.1:80");
    }

    @Test
    void takesIpv6() throws IOException {
        String loopback = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1";
        try (Wire client = tunnel("\5\1\0\4" + loopback + "\0\120")) {
            assertThat(client.get("/x", "[::1]").body()).isEqualTo("GET [::1]:80 /x 0");
        }
        assertThat(proxy.exchanges.begun.getFirst().connection().tunnelTarget()).isEqualTo("[::1]:80");
    }

    @Test
    void aNameMayBeAnAddressInText() throws IOException {
        try (Wire client = tunnel("\5\1\0\3\t192.0.2.1\0\120")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:80 /x 0");
        }
    }

    @Test
    void bytesThatFollowAtOnceAreNotLost() throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send(GREETING + REQUEST + GET + GET);

            assertThat(client.read(12)).isEqualTo(SELECTED + SUCCEEDED);
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /x 0");
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /x 0");
        }
    }

    @Test
    void bytesMayComeOneByOneAndWaitForAPermit() throws IOException {
        proxy.exchanges.permits.set(0);
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.trickle(GREETING + REQUEST + GET);
            await().until(() -> proxy.exchanges.waiting() == 1);
            proxy.exchanges.morePermits(2);

            assertThat(client.read(12)).isEqualTo(SELECTED + SUCCEEDED);
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /x 0");
        }
    }

    @Test
    void aClientThatLeavesWhileItWaitsForAPermitIsRecorded() throws IOException {
        proxy.exchanges.permits.set(0);
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send(GREETING + REQUEST);
            await().until(() -> proxy.exchanges.waiting() == 1);
        }
        proxy.exchanges.morePermits(10);

        await().until(() -> proxy.listeners.connections() == 0);
        // Nothing is read while it waits: the proxy may see it leave before or after the tunnel has opened.
        if (proxy.exchanges.tunnels.isEmpty()) {
            assertThat(recorded().refusal().code()).isEqualTo("client_left");
            assertThat(recorded().destination()).hasToString("a.test:80");
            assertThat(recorded().head().method()).isEqualTo("CONNECT");
        } else {
            assertThat(proxy.exchanges.tunnels.getFirst().ending()).isEqualTo("CLIENT_CANCEL no_request");
        }
    }

    @Test
    void policyDenialIs2() throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send(GREETING + "\5\1\0\3\13denied.test\1\273" + GET);

            assertThat(client.readToEnd()).isEqualTo(SELECTED + reply(2));
        }
        var refused = proxy.exchanges.refused.getFirst();
        assertThat(refused.head().method()).isEqualTo("CONNECT");
        assertThat(refused.destination()).hasToString("denied.test:443");
        assertThat(refused.connection().protocol()).isEqualTo("socks5");
        assertThat(proxy.exchanges.refused).hasSize(1);
        assertThat(proxy.exchanges.recorded).isEmpty();
        assertThat(proxy.exchanges.begun).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\5\2\0\1\300\0\2\1\0\120", "\5\3\0\3\6a.test\0\120", "\5\0\0\7"})
    void otherCommandsAre7(String request) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(GREETING + request).readToEnd()).isEqualTo(SELECTED + reply(7));
        }
        assertThat(recorded().refusal().code()).isEqualTo("socks_command_not_supported");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\5\2\0\3\6a.test\0\120", "\5\3\0\3\6a.test\0\120"})
    void theRecordOfAnotherCommandHasItsTarget(String request) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send(GREETING + request).readToEnd();
        }
        assertThat(recorded().destination()).hasToString("a.test:80");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 5, 255})
    void otherAddressTypesAre8(int type) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(GREETING + "\5\1\0" + (char) type + "a.test").readToEnd())
                    .isEqualTo(SELECTED + reply(8));
        }
        assertThat(recorded().refusal().code()).isEqualTo("socks_address_type_not_supported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\5\1\0\3\0\0\120", // no name
                "\5\1\0\3\6a.test\0\0", // port 0
                "\5\1\0\3\6a test\0\120",
                "\5\1\0\3\6\u00e4.test\0\120",
                "\5\1\0\3\6a/test\0\120",
                "\5\1\0\3\6a.te:1\0\120",
                "\5\1\1\3\6a.test\0\120", // reserved byte
                "\4\1\0\3\6a.test\0\120" // version
            })
    void aMalformedRequestIs1(String request) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(GREETING + request).readToEnd()).isEqualTo(SELECTED + reply(1));
        }
        var record = recorded();
        assertThat(record.refusal().code()).isEqualTo("bad_request");
        assertThat(record.connection().protocol()).isEqualTo("socks5");
        assertThat(proxy.exchanges.tunnels).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'\5\0'", "'\5\1\1'", "'\5\3\3\4\200'"})
    void aGreetingWithoutAMethodThatIsServedIsFF(String greeting) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(greeting).readToEnd()).isEqualTo("\5\377");
        }
        assertThat(recorded().refusal().code()).isEqualTo("bad_request");
    }

    @Test
    void aHandshakeThatIsNotCompletedInTimeIsClosedAndRecorded() throws IOException {
        try (Proxy quick = new Proxy(Limits.of("header_read_timeout: 200ms, client_idle_timeout: 20s, "
                + "first_bytes_timeout: 20s, client_hello_timeout: 20s"))) {
            for (String sent : List.of("\5", "\5\2\0", GREETING, GREETING + "\5\1\0\3\6a.t")) {
                try (Wire client = Wire.to(quick.tunnel.address())) {
                    assertThat(client.send(sent).readToEnd()).isEqualTo(sent.startsWith(GREETING) ? SELECTED : "");
                }
            }
            await().until(() -> quick.exchanges.recorded.size() == 4);
            assertThat(quick.exchanges.recorded)
                    .extracting(FakeExchanges.Refused::refusal)
                    .extracting(Refusal::code)
                    .containsOnly("request_timeout");
        }
    }

    @Test
    void aClientThatSaysNothingIsClosedInTime() throws IOException {
        try (Proxy quick = new Proxy(Limits.of("header_read_timeout: 20s, client_idle_timeout: 200ms, "
                        + "first_bytes_timeout: 20s, client_hello_timeout: 20s"));
                Wire client = Wire.to(quick.tunnel.address())) {
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void thereIsNoTunnelInsideATunnel() throws IOException {
        try (Wire client = tunnel(REQUEST)) {
            assertThat(client.send(GREETING).readToEnd()).isEmpty();
        }
        FakeTunnel tunnel = proxy.exchanges.tunnels.getFirst();
        await().until(() -> tunnel.ended != null);
        assertThat(tunnel.ending()).isEqualTo("REJECT unknown_protocol");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherListenersDoNotServeIt(boolean secure) throws IOException {
        try (Wire client = Wire.to((secure ? proxy.https : proxy.http).address())) {
            assertThat(client.send(GREETING + REQUEST + "\r\n\r\n").readToEnd()).doesNotStartWith(SELECTED);
        }
        assertThat(proxy.exchanges.tunnels).isEmpty();
    }
}
