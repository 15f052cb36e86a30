package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.TestParent;
import dev.sallyport.testsupport.TestParent.Manner;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code proxy.upstream_proxy}: docs/spec/decisions.md, section 17. */
@Timeout(60)
class ParentProxyTest {

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private TestCertificates certificates;

    @BeforeEach
    void certificates() {
        certificates = new TestCertificates(folder);
    }

    private TestParent parent(String kind) {
        return switch (kind) {
            case "http" -> TestParent.http();
            case "https" -> TestParent.https(certificates.origin);
            default -> TestParent.socks();
        };
    }

    /** Behind a parent, for connections of either kind. */
    private TestProxy.Builder behind(String url, String... more) {
        List<String> lines = new ArrayList<>(List.of(
                "upstream_deny_cidrs: []",
                "upstream: {connect_timeout: 2s}",
                "upstream_proxy:",
                "  http_proxy: \"" + url + "\"",
                "  https_proxy: \"" + url + "\""));
        for (String line : more) {
            lines.add("  " + line);
        }
        return TestProxy.builder(folder).certificates(certificates).proxyLines(lines.toArray(String[]::new));
    }

    private TestOrigin origin() {
        return TestOrigin.handling(request -> {
            seen.add(request.head());
            return TestOrigin.ok("hello");
        });
    }

    private static String named(TestOrigin origin) {
        return "localhost:" + origin.port();
    }

    private static Wire.Message get(TestProxy proxy, String host) throws Exception {
        try (Wire client = proxy.http()) {
            return client.get("/p?q=1", host);
        }
    }

    private static Wire.Message secureGet(TestProxy proxy, TestCertificates made, TestOrigin origin) throws Exception {
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + named(origin) + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
            try (Wire client = new Wire(TestProxy.secure(made, tunnel.socket(), "localhost"), tunnel.socket())) {
                return client.get("/p", named(origin));
            }
        }
    }

    private static void assertVia(JsonNode record, TestParent parent, String scheme, TestOrigin origin) {
        JsonNode audit = record.get("audit");
        assertThat(audit.path("via").asText()).isEqualTo(scheme + "://localhost:" + parent.port());
        if (origin == null) {
            assertThat(audit.path("address_unseen").asBoolean()).isTrue();
            assertThat(audit.path("upstream_addr").asText()).isEmpty();
        } else {
            assertThat(audit.has("address_unseen")).isFalse();
            assertThat(audit.path("upstream_addr").asText()).isEqualTo("127.0.0.1:" + origin.port());
        }
    }

    // What the parent is asked for.

    @ParameterizedTest
    @CsvSource({"http, CONNECT", "https, CONNECT", "socks5, SOCKS"})
    void itIsAskedForTheAddressThatPassedTheGuard(String kind, String asked) throws Exception {
        try (TestOrigin origin = origin();
                TestOrigin secure =
                        TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok("secret")));
                TestParent parent = parent(kind).demanding("ann", "s3cret");
                TestProxy proxy = behind(parent.url(kind)).start()) {
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            JsonNode record = proxy.record();
            assertVia(record, parent, kind, origin);
            assertThat(record.toString()).doesNotContain("s3cret");
            assertThat(seen.take())
                    .startsWith("GET /p?q=1 HTTP/1.1\r\nHost: " + named(origin))
                    .doesNotContainIgnoringCase("proxy-authorization");

            assertThat(secureGet(proxy, certificates, secure).body()).isEqualTo("secret");
            assertVia(proxy.record(), parent, kind, secure);
            assertThat(parent.asked())
                    .containsExactly(asked + " 127.0.0.1:" + origin.port(), asked + " 127.0.0.1:" + secure.port());
        }
    }

    @ParameterizedTest
    @CsvSource({"http, remote", "https, remote", "socks5h, "})
    void theNameIsLeftToItWhereItResolves(String kind, String resolve) throws Exception {
        String[] more = resolve == null ? new String[] {} : new String[] {"resolve: " + resolve};
        try (TestOrigin origin = origin();
                TestOrigin secure =
                        TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok("secret")));
                TestParent parent = parent(kind).demanding("ann", "s3cret");
                TestProxy proxy = behind(parent.url(kind), more).start()) {
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            assertVia(proxy.record(), parent, kind, null);
            assertThat(seen.take())
                    .startsWith("GET /p?q=1 HTTP/1.1\r\nHost: " + named(origin))
                    .doesNotContainIgnoringCase("proxy-authorization");
            assertThat(secureGet(proxy, certificates, secure).body()).isEqualTo("secret");
            assertVia(proxy.record(), parent, kind, null);
            assertThat(get(proxy, origin.authority()).body()).isEqualTo("hello");
            assertVia(proxy.record(), parent, kind, origin); // an address can be judged, whoever resolves names

            boolean socks = kind.startsWith("socks");
            String asks = socks ? "SOCKS " : "CONNECT ";
            assertThat(parent.asked())
                    .containsExactly(
                            socks ? asks + named(origin) : "GET http://" + named(origin) + "/p?q=1",
                            asks + named(secure),
                            socks ? asks + origin.authority() : "GET http://" + origin.authority() + "/p?q=1");
            assertThat(proxy.proxy().warnings()).anyMatch(line -> line.contains("the parent resolves names"));
        }
    }

    @Test
    void credentialsComeFromSources() throws Exception {
        TestSecrets secrets = new LocalTestSecrets().secrets.set("USER", "ann").set("PASSWORD", "s3:cret");
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http();
                TestProxy proxy = behind(
                                parent.url("http"),
                                "username: {type: local, name: USER}",
                                "password: {type: local, name: PASSWORD}")
                        .catalog(PluginCatalog.of(List.of(), List.of(new LocalTestSecrets(secrets))))
                        .start()) {
            parent.demanding("ann", "s3:cret");
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            assertThat(proxy.record().toString()).doesNotContain("s3:cret");
        }
    }

    /** A source of this machine. */
    private record LocalTestSecrets(TestSecrets secrets) implements SecretSourceFactory<TestSecrets.Config> {

        LocalTestSecrets() {
            this(new TestSecrets());
        }

        @Override
        public dev.sallyport.spi.Descriptor<TestSecrets.Config> descriptor() {
            return dev.sallyport.spi.Descriptor.of("local", TestSecrets.Config.class, "For tests.");
        }

        @Override
        public boolean local(TestSecrets.Config config) {
            return true;
        }

        @Override
        public dev.sallyport.spi.SecretSource create(
                TestSecrets.Config config, dev.sallyport.spi.SourceContext context) {
            return secrets.create(config, context);
        }
    }

    @Test
    void anOriginOfHttp2IsSpokenToThroughIt() throws Exception {
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    Http2Peer.Frame head = wire.next(Http2Peer.HEADERS);
                    wire.headers(head.stream(), false, ":status", "200");
                    wire.data(head.stream(), true, "h2");
                    peer.readToEnd();
                });
                TestParent parent = TestParent.https(certificates.origin);
                TestProxy proxy = behind(parent.url("https")).start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + named(origin) + " HTTP/1.1", "Host: x"));
            tunnel.readHead();
            try (Wire client =
                    new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"), tunnel.socket())) {
                client.send(head("GET / HTTP/1.1", "Host: " + named(origin)));
                assertThat(client.chunkedMessage().body()).isEqualTo("h2");
            }
            assertVia(proxy.record(), parent, "https", origin);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "remote"})
    void aWebSocketGoesThroughAConnection(String resolve) throws Exception {
        try (TestOrigin origin = TestOrigin.of(WebSocketFrames::echo);
                TestParent parent = TestParent.http();
                TestProxy proxy =
                        behind(parent.url("http"), "resolve: " + resolve).start();
                Wire client = proxy.http()) {
            client.send(WebSocketFrames.opening("/chat", named(origin)));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101");
            client.send(WebSocketFrames.text("hello", true));
            assertThat(WebSocketFrames.read(client).text()).isEqualTo("hello");
            assertThat(parent.asked())
                    .containsExactly("CONNECT " + (resolve.equals("remote") ? named(origin) : origin.authority()));
        }
    }

    /** Whoever answers TRACE repeats what it got, our credentials for the parent included. */
    @Test
    void aRequestThatAsksToBeRepeatedIsNotForwarded() throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http().demanding("ann", "s3cret");
                TestProxy proxy = behind(parent.url("http"), "resolve: remote").start();
                Wire client = proxy.http()) {
            client.send(head("TRACE / HTTP/1.1", "Host: " + named(origin), "Max-Forwards: 0"));
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(parent.asked()).containsExactly("CONNECT " + named(origin));
        }
    }

    @ParameterizedTest
    @CsvSource({"http, local", "https, local", "socks5, ", "http, remote"})
    void tlsThatIsPassedThroughGoesThroughIt(String kind, String resolve) throws Exception {
        try (TestOrigin origin =
                        TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok("end to end")));
                TestParent parent = parent(kind);
                TestProxy proxy = behind(
                                parent.url(kind),
                                "no_proxy: other.test",
                                resolve == null ? "username:" : "resolve: " + resolve)
                        .tlsLines(
                                "mode: sni-only",
                                kind.equals("https") ? "upstream_ca: " + certificates.originPem : "passthrough: []")
                        .start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + named(origin) + " HTTP/1.1", "Host: x"));
            tunnel.readHead();
            try (SSLSocket tls = TestProxy.secure(certificates.direct, tunnel.socket(), "localhost");
                    Wire client = new Wire(tls, tunnel.socket())) {
                assertThat(client.get("/", "x").body()).isEqualTo("end to end");
            }
            assertVia(proxy.record(), parent, kind, "remote".equals(resolve) ? null : origin);
            assertThat(origin.connections()).isEqualTo(parent.made()).isEqualTo(1);
        }
    }

    // What is not asked of it.

    @Test
    void whatIsExemptIsReachedDirectly() throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http();
                TestProxy proxy = behind(parent.url("http"), "no_proxy: \"example.com, 127.0.0.0/8\"")
                        .start()) {
            assertThat(get(proxy, origin.authority()).body()).isEqualTo("hello");
            assertThat(proxy.record().get("audit").has("via")).isFalse();
            assertThat(parent.asked()).isEmpty();
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            assertThat(parent.asked()).hasSize(1); // a range is for addresses, and no name is resolved for it
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "remote"})
    void theGuardJudgesWhatItCanSee(String resolve) throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http();
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .proxyLines(
                                "upstream_deny_cidrs: [127.0.0.0/8, \"::1/128\"]",
                                "upstream_proxy: {http_proxy: \"" + parent.url("http") + "\", resolve: " + resolve
                                        + "}")
                        .start()) {
            assertThat(get(proxy, origin.authority()).status()).isEqualTo(502);
            assertThat(proxy.record().path("error").asText()).startsWith("upstream_denied");
            Wire.Message named = get(proxy, named(origin));
            assertThat(named.status()).isEqualTo(resolve.equals("local") ? 502 : 200);
            assertThat(parent.asked()).hasSize(resolve.equals("local") ? 0 : 1);
        }
    }

    /** A machine behind a company's proxy often has no name server that knows the internet. */
    @Test
    void aNameThatIsNotFoundHereMightBeFoundByTheParent() throws Exception {
        try (TestParent parent = TestParent.http();
                TestProxy proxy = behind(parent.url("http")).start()) {
            assertThat(get(proxy, "nowhere.invalid:80").status()).isEqualTo(502);
            assertThat(proxy.record().path("error").asText())
                    .startsWith("upstream_unreachable: nowhere.invalid:80: ")
                    .endsWith("(expected: a name server that knows it, or resolve: remote in proxy.upstream_proxy)");
            assertThat(parent.asked()).isEmpty();
        }
    }

    @Test
    void aCredentialWithoutTlsNeedsAnAddressThatIsSeen() throws Exception {
        Edits edits = Edits.builder()
                .sensitive()
                .setHeader("Authorization", "Bearer s3cret")
                .build();
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http();
                TestProxy local = behind(parent.url("http"))
                        .transform("injector", request -> Decision.proceed(edits))
                        .start()) {
            assertThat(get(local, named(origin)).status()).isEqualTo(200);
            try (TestProxy remote = behind(parent.url("http"), "resolve: remote")
                    .transform("injector", request -> Decision.proceed(edits))
                    .start()) {
                Wire.Message refused = get(remote, named(origin));
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.body()).contains("\"code\":\"plaintext_credential\"");
                assertThat(get(remote, origin.authority()).status()).isEqualTo(200);
            }
            assertThat(parent.made()).isEqualTo(2);
        }
    }

    // When it does not do what it should.

    @ParameterizedTest
    @Tag("long")
    @EnumSource(
            value = Manner.class,
            names = {"SILENT", "GARBAGE", "CLOSING", "REFUSING", "HELPLESS"})
    void itsFailureIsNeverMadeGoodByADirectDial(Manner manner) throws Exception {
        try (TestOrigin origin = origin()) {
            for (String kind : List.of("http", "https", "socks5")) {
                try (TestParent parent = parent(kind).behaving(manner);
                        TestProxy proxy = behind(parent.url(kind)).start()) {
                    Wire.Message answer = get(proxy, named(origin));
                    assertThat(answer.status()).isEqualTo(502);
                    assertThat(answer.body()).contains("\"code\":\"upstream_proxy_failed\"");
                    JsonNode record = proxy.record();
                    assertThat(record.path("error").asText())
                            .startsWith("upstream_proxy_failed: " + named(origin) + ": parent proxy " + kind
                                    + "://localhost:" + parent.port() + ": ");
                    boolean port = manner == Manner.REFUSING && !kind.equals("socks5");
                    assertThat(answer.body().contains("resolve: remote")).isEqualTo(port);
                }
            }
            assertThat(origin.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "remote"})
    void itMayWantOtherCredentials(String resolve) throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.http();
                TestProxy proxy =
                        behind(parent.url("http"), "resolve: " + resolve).start()) {
            parent.demanding("ann", "s3cret");
            Wire.Message answer = get(proxy, named(origin));
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.has("Proxy-Authenticate")).isFalse();
            assertThat(answer.body()).contains("\"code\":\"upstream_proxy_failed\"");
            assertThat(proxy.record().path("error").asText()).contains("answered 407");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void theNextAddressIsTriedWhereItCannotReachTheFirst() throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.socks().behaving(Manner.WITHOUT_IPV4);
                TestProxy proxy = behind(parent.url("socks5")).start()) {
            Wire.Message answer = get(proxy, named(origin));
            List<String> asked = parent.asked();
            assertThat(asked.getFirst()).isEqualTo("SOCKS 127.0.0.1:" + origin.port());
            // Only where localhost has an address of IPv6, too.
            assertThat(answer.status()).isEqualTo(asked.size() == 1 ? 502 : 200);
        }
    }

    @Test
    void itMayBeGone() throws Exception {
        TestParent parent = TestParent.http();
        parent.close();
        try (TestOrigin origin = origin();
                TestProxy proxy = behind(parent.url("http")).start()) {
            assertThat(get(proxy, named(origin)).status()).isEqualTo(502);
            assertThat(proxy.record().path("error").asText()).contains("upstream_proxy_failed", "unreachable");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void itIsNotThisProxyItself() throws Exception {
        Path file = folder.resolve("sallyport.yaml");
        TestProxy.Builder builder = TestProxy.builder(folder).certificates(certificates);
        Files.writeString(file, builder.proxyLines("upstream_deny_cidrs: []").yaml());
        try (TestOrigin origin = origin();
                TestProxy proxy = builder.start(file)) {
            int port = proxy.proxy().tunnelAddress().getPort();
            Files.writeString(
                    file,
                    builder.proxyLines(
                                    "upstream_deny_cidrs: []",
                                    "upstream_proxy: {http_proxy: \"http://localhost:" + port + "\"}")
                            .yaml());
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(get(proxy, named(origin)).status()).isEqualTo(502);
            assertThat(proxy.record().path("error").asText()).contains("it is this proxy itself");
        }
    }

    /** Whatever happens, whoever reaches the origin comes from the parent. */
    @ParameterizedTest
    @ValueSource(strings = {"http", "https", "socks5"})
    void itMayDieAgainAndAgainUnderLoad(String kind) throws Exception {
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        try (TestOrigin origin = origin();
                TestParent parent = parent(kind);
                TestProxy proxy = behind(parent.url(kind)).start()) {
            List<Thread> clients = new ArrayList<>();
            AtomicInteger rounds = new AtomicInteger();
            for (int i = 0; i < 8; i++) {
                clients.add(Thread.ofVirtual().start(() -> {
                    while (rounds.get() < 6) {
                        try {
                            int status = get(proxy, named(origin)).status();
                            assertThat(status).isIn(200, 502);
                            (status == 200 ? served : refused).incrementAndGet();
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }
                }));
            }
            for (int i = 0; i < 6; i++) {
                int before = served.get();
                soon().until(() -> served.get() >= before + 40);
                int missed = refused.get();
                parent.behaving(Manner.CLOSING).breakOff();
                soon().until(() -> refused.get() >= missed + 20);
                parent.behaving(Manner.PROPER);
                rounds.incrementAndGet();
            }
            for (Thread client : clients) {
                client.join();
            }
            // those that were broken off at once are still being counted
            soon().untilAsserted(() -> assertThat(origin.connections()).isEqualTo(parent.made()));
        }
    }

    private static ConditionFactory soon() {
        return Awaitility.await().pollInterval(Duration.ofMillis(5));
    }

    // Where it is named.

    @Test
    void variablesOfTheProcessOverrideTheBlock() throws Exception {
        try (TestOrigin origin = origin();
                TestParent named = TestParent.http();
                TestParent parent = TestParent.http();
                TestProxy proxy = behind(named.url("http"), "no_proxy: localhost")
                        .environment(Map.of("HTTP_PROXY", "localhost:" + parent.port(), "NO_PROXY", "example.com"))
                        .start()) {
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            assertVia(proxy.record(), parent, "http", origin);
            assertThat(named.asked()).isEmpty();
        }
    }

    @Test
    void variablesOfTheProcessNeedNoBlock() throws Exception {
        try (TestOrigin origin = origin();
                TestParent parent = TestParent.socks().demanding("ann", "p@ss");
                TestProxy proxy = TestProxy.builder(folder)
                        .environment(Map.of("http_proxy", "socks5h://ann:p%40ss@localhost:" + parent.port()))
                        .start()) {
            assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
            assertThat(parent.asked()).containsExactly("SOCKS " + named(origin));
        }
    }

    @Test
    void aReloadChangesItAndConnectionsThroughTheFormerAreNotUsedAgain() throws Exception {
        Path file = folder.resolve("sallyport.yaml");
        try (TestOrigin origin = origin();
                TestParent first = TestParent.http();
                TestParent second = TestParent.http()) {
            TestProxy.Builder builder = behind(first.url("http"));
            Files.writeString(file, builder.yaml());
            try (TestProxy proxy = builder.start(file)) {
                for (TestParent parent : List.of(first, second)) {
                    Files.writeString(file, behind(parent.url("http")).yaml());
                    assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                    for (int i = 0; i < 3; i++) {
                        assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
                        assertVia(proxy.record(), parent, "http", origin);
                    }
                }
                Files.writeString(
                        file,
                        TestProxy.builder(folder).certificates(certificates).yaml());
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                assertThat(get(proxy, named(origin)).body()).isEqualTo("hello");
                assertThat(proxy.record().get("audit").has("via")).isFalse();
            }
        }
    }
}
