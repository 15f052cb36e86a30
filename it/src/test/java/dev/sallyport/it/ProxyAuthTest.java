package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code proxy.auth} (docs/spec/decisions.md, section 3). */
@Timeout(120)
class ProxyAuthTest {

    private static final String ESTABLISHED = "HTTP/1.1 200 Connection Established";
    private static final String PASSWORD = "pässword:with:colons";

    @TempDir
    Path folder;

    private final TestSecrets secrets = new TestSecrets().set("ALICE", PASSWORD).set("BOB", "bob-secret");
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private TestOrigin origin;

    @BeforeEach
    void open() throws Exception {
        origin = TestOrigin.of(peer -> {
            while (true) {
                seen.add(peer.readHead());
                peer.send(TestOrigin.ok("hello"));
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        origin.close();
    }

    private static String[] auth(boolean required) {
        return new String[] {
            "upstream_deny_cidrs: []",
            "auth:",
            "  required: " + required,
            "  users:",
            "    - {name: alice, password: {type: test, name: ALICE}}",
            "    - {name: bob, password: {type: test, name: BOB}}"
        };
    }

    private TestProxy.Builder proxy(String... lines) {
        return TestProxy.builder(folder)
                .catalog(PluginCatalog.of(List.of(), List.of(secrets)))
                .proxyLines(lines);
    }

    private static String basic(String user, String password) {
        return "Proxy-Authorization: Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private String get(String... lines) {
        return "GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: " + origin.authority() + "\r\n"
                + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n";
    }

    private String inner() {
        return head("GET /inner HTTP/1.1", "Host: " + origin.authority());
    }

    private static String workload(JsonNode record) {
        return record.get("audit").get("workload").asText();
    }

    private static void assertAsked(JsonNode record) {
        assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
        assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(407);
        assertThat(record.get("error").asText()).startsWith("proxy_authentication_required");
        assertThat(workload(record)).isEmpty();
    }

    /** SOCKS5 with a user name and a password: what the proxy says to them. */
    private static Wire socks(TestProxy proxy, String user, String password) throws Exception {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        byte[] secret = password.getBytes(StandardCharsets.UTF_8);
        Wire client = proxy.tunnel().send("\5\2\0\2");
        assertThat(client.read(2)).isEqualTo("\5\2");
        client.send(new byte[] {1, (byte) name.length}).send(name).send(new byte[] {(byte) secret.length});
        return client.send(secret);
    }

    private byte[] socksRequest() {
        int port = origin.port();
        return new byte[] {5, 1, 0, 1, 127, 0, 0, 1, (byte) (port >> 8), (byte) port};
    }

    @Test
    void connectCarriesTheWorkloadInside() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: x", basic("alice", PASSWORD)));
            assertThat(client.readHead()).isEqualTo(ESTABLISHED);
            assertThat(client.send(inner()).message().body()).isEqualTo("hello");

            JsonNode record = proxy.record();
            assertThat(workload(record)).isEqualTo("user:alice");
            assertThat(seen.take()).doesNotContain("Proxy-Authorization");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void connectWithoutCredentialsIs407() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: x") + inner());
            Wire.Message answer = client.message();

            assertThat(answer.status()).isEqualTo(407);
            assertThat(answer.head())
                    .contains("Proxy-Authenticate: Basic realm=\"sallyport\", charset=\"UTF-8\"", "Connection: close");
            assertThat(answer.body()).contains("proxy_authentication_required");
            assertThat(client.readToEnd()).isEmpty();
            JsonNode record = proxy.record();
            assertAsked(record);
            assertThat(record.get("audit").get("method").asText()).isEqualTo("CONNECT");
            assertThat(proxy.closeAndRecords()).hasSize(1);
            assertThat(origin.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wrongCredentialsAreRefusedEvenWhenNoneAreRequired(boolean required) throws Exception {
        List<String> wrong = List.of(
                basic("alice", "other"),
                basic("nobody", PASSWORD),
                basic("alice", ""),
                "Proxy-Authorization: Basic !!!",
                "Proxy-Authorization: Basic "
                        + Base64.getEncoder().encodeToString("alice".getBytes(StandardCharsets.UTF_8)),
                "Proxy-Authorization: Bearer " + PASSWORD.length(),
                basic("alice", PASSWORD) + "\r\n" + basic("bob", "bob-secret"));
        try (TestProxy proxy = proxy(auth(required)).start();
                Wire client = proxy.tunnel()) {
            for (String line : wrong) {
                assertThat(client.send(get(line)).message().status()).as(line).isEqualTo(407);
                assertAsked(proxy.record());
            }
            assertThat(client.send(get(basic("alice", PASSWORD))).message().status())
                    .isEqualTo(200);
            assertThat(proxy.closeAndRecords()).hasSize(wrong.size() + 1);
        }
    }

    @Test
    void eachRequestOfAConnectionHasItsOwnWorkload() throws Exception {
        try (TestProxy proxy = proxy(auth(false)).start();
                Wire client = proxy.tunnel()) {
            for (String line : List.of(basic("alice", PASSWORD), "X: y", basic("bob", "bob-secret"), "X: y")) {
                assertThat(client.send(get(line)).message().status()).isEqualTo(200);
                assertThat(seen.take()).doesNotContain("Proxy-Authorization");
            }
            assertThat(List.of(proxy.record(), proxy.record(), proxy.record(), proxy.record()))
                    .extracting(ProxyAuthTest::workload)
                    .containsExactly("user:alice", "", "user:bob", "");
        }
    }

    @Test
    void aTransformSeesThePrincipalAndNoCredentials() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (TestProxy proxy = proxy(auth(true))
                        .transform("x", request -> {
                            told.add(request.connection().principal() + " "
                                    + request.head().headers().first("Proxy-Authorization"));
                            return dev.sallyport.spi.Decision.proceed();
                        })
                        .start();
                Wire client = proxy.tunnel()) {
            client.send(get(basic("alice", PASSWORD))).message();

            assertThat(told.take()).isEqualTo("Principal[user:alice by proxy_auth {user=alice}] null");
        }
    }

    @Test
    void whatIsNotMeantForAProxyIsNotAsked() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire http = proxy.http();
                Wire tunnel = proxy.tunnel()) {
            assertThat(http.send(inner()).message().status()).isEqualTo(200);
            assertThat(http.send(get()).message().status()).as("absolute form").isEqualTo(407);
            assertThat(tunnel.send(inner()).message().status())
                    .as("origin form on the tunnel listener")
                    .isEqualTo(407);
        }
    }

    /** Whatever is made of HTTP/2 without TLS: it is no way around. */
    @Test
    void http2OnTheTunnelListenerIsAskedToo() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire client = proxy.tunnel()) {
            String authority = origin.authority();
            String fields = "\202\206\204" + "A" + (char) authority.length() + authority;
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                    .send("\0\0\0\4\0\0\0\0\0")
                    .send("\0\0" + (char) fields.length() + "\1\5\0\0\0\1" + fields);

            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void socksCarriesTheWorkloadInside() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire client = socks(proxy, "alice", PASSWORD)) {
            assertThat(client.read(2)).isEqualTo("\1\0");
            assertThat(client.send(socksRequest()).read(10)).startsWith("\5\0");
            assertThat(client.send(inner()).message().body()).isEqualTo("hello");
            assertThat(workload(proxy.record())).isEqualTo("user:alice");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wrongCredentialsOfSocksAreStatus1(boolean required) throws Exception {
        try (TestProxy proxy = proxy(auth(required)).start()) {
            for (String[] pair : new String[][] {{"alice", "other"}, {"nobody", PASSWORD}, {"", ""}}) {
                try (Wire client = socks(proxy, pair[0], pair[1])) {
                    client.send(socksRequest());
                    assertThat(client.readToEnd()).isEqualTo("\1\1");
                }
                JsonNode record = proxy.record();
                assertAsked(record);
                assertThat(record.get("audit").get("protocol").asText()).isEqualTo("socks5");
                assertThat(record.toString()).doesNotContain("other").doesNotContain(PASSWORD);
            }
            assertThat(proxy.closeAndRecords()).hasSize(3);
        }
    }

    @Test
    void socksWithoutCredentialsIsFFWhenTheyAreRequired() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start();
                Wire client = proxy.tunnel()) {
            assertThat(client.send("\5\1\0").readToEnd()).isEqualTo("\5\377");
            assertAsked(proxy.record());
        }
    }

    @Test
    void socksWithoutCredentialsIsAnonymousWhenTheyAreNot() throws Exception {
        try (TestProxy proxy = proxy(auth(false)).start();
                Wire client = proxy.tunnel()) {
            assertThat(client.send("\5\1\0").read(2)).isEqualTo("\5\0");
            client.send(socksRequest()).read(10);
            assertThat(client.send(inner()).message().status()).isEqualTo(200);
            assertThat(workload(proxy.record())).isEmpty();
        }
    }

    @Test
    void withoutTheBlockCredentialsDoNotCount() throws Exception {
        try (TestProxy proxy = proxy("upstream_deny_cidrs: []").start();
                Wire http = proxy.tunnel();
                Wire socks = proxy.tunnel()) {
            assertThat(http.send(get(basic("eve", "x"))).message().status()).isEqualTo(200);
            assertThat(socks.send("\5\1\2").read(2)).isEqualTo("\5\2");
            assertThat(socks.send("\1\3eve\1x").read(2)).isEqualTo("\1\0");
            assertThat(socks.send(socksRequest()).read(10)).startsWith("\5\0");
            assertThat(workload(proxy.record())).isEmpty();
        }
    }

    @Test
    void aReloadChangesTheUsers() throws Exception {
        TestProxy.Builder builder = proxy(auth(true));
        Path file = Files.writeString(folder.resolve("proxy.yaml"), builder.yaml());
        try (TestProxy proxy = builder.start(file);
                Wire client = proxy.tunnel()) {
            assertThat(client.send(get(basic("bob", "bob-secret"))).message().status())
                    .isEqualTo(200);
            Files.writeString(file, builder.yaml().replace("name: bob", "name: carol"));
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

            assertThat(client.send(get(basic("bob", "bob-secret"))).message().status())
                    .isEqualTo(407);
            assertThat(client.send(get(basic("carol", "bob-secret"))).message().status())
                    .isEqualTo(200);

            Files.writeString(file, builder.yaml().replace("name: BOB", "name: NOT_THERE"));
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems())
                                    .singleElement()
                                    .satisfies(problem ->
                                            assertThat(problem.pointer()).isEqualTo("/proxy/auth/users/1/password")));
            assertThat(client.send(get(basic("carol", "bob-secret"))).message().status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aPasswordThatCannotBeReadStopsTheStart() {
        assertThatThrownBy(
                        () -> proxy("auth:", "  users:", "    - {name: alice, password: {type: test, name: NOT_THERE}}")
                                .start())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/proxy/auth/users/0/password")
                .hasMessageContaining("NOT_THERE");
    }

    @Test
    void anOptionalPasswordIsRefusedUntilItCanBeReadAndThenRefreshed() throws Exception {
        try (TestProxy proxy = proxy(
                                "upstream_deny_cidrs: []",
                                "auth:",
                                "  users:",
                                "    - {name: alice, password: {type: test, name: LATE, ttl: 50ms, optional: true}}")
                        .start();
                Wire client = proxy.tunnel()) {
            Wire.Message refused = client.send(get(basic("alice", "first"))).message();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable");

            secrets.set("LATE", "first");
            await().until(() ->
                    client.send(get(basic("alice", "first"))).message().status() == 200);
            secrets.set("LATE", "second");
            await().until(() ->
                    client.send(get(basic("alice", "second"))).message().status() == 200);
            assertThat(client.send(get(basic("alice", "first"))).message().status())
                    .isEqualTo(407);
        }
    }

    @Test
    void tlsInsideATunnelInheritsTheWorkload() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin secure = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = proxy(auth(true)).certificates(certificates).start();
                Wire tunnel = proxy.tunnel()) {
            String target = "localhost:" + secure.port();
            tunnel.send(head("CONNECT " + target + " HTTP/1.1", "Host: x", basic("bob", "bob-secret")));
            assertThat(tunnel.readHead()).isEqualTo(ESTABLISHED);
            try (Wire inside = new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"))) {
                inside.send(head("GET / HTTP/1.1", "Host: " + target));
                assertThat(inside.message().body()).isEqualTo("hello");
            }
            assertThat(workload(proxy.record())).isEqualTo("user:bob");
        }
    }

    /** The password has no ttl: only a reload reads it again, and not within a second of the last time. */
    @Test
    void aReloadReadsPasswordsAnewAndNamesThoseThatItCannotRead() throws Exception {
        try (TestProxy proxy = proxy(auth(true)).start()) {
            secrets.set("ALICE", "another");
            await().untilAsserted(() -> {
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                assertThat(status(proxy, basic("alice", "another"))).isEqualTo(200);
            });
            assertThat(status(proxy, basic("alice", PASSWORD))).isEqualTo(407);

            secrets.remove("ALICE");
            await().untilAsserted(() -> assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.stale()).containsExactly("ALICE")));
            assertThat(status(proxy, basic("alice", "another"))).isEqualTo(200);
        }
    }

    private int status(TestProxy proxy, String authorization) throws Exception {
        try (Wire client = proxy.tunnel()) {
            return client.send(get(authorization)).message().status();
        }
    }
}
