package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.OriginFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The official Java SDK on both sides: nothing is noticed of a policy that allows all, and of another one what it denies. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JavaSdkTest {

    private static final String REFUSED = "-32050 not here";

    /** The answer to a POST, which this transport has no place for but as the text of a failure. */
    private static final String REFUSED_LEGACY = "\"code\":-32050,\"message\":\"not here\"";

    /** How a client gets to its server. */
    enum Way {
        STREAMABLE,
        STREAMABLE_TLS,
        LEGACY,
        LEGACY_TLS;

        boolean legacy() {
            return this == LEGACY || this == LEGACY_TLS;
        }

        boolean tls() {
            return this == STREAMABLE_TLS || this == LEGACY_TLS;
        }
    }

    private SdkServer server;
    private Gate bare;
    private Gate all;
    private Gate some;
    private SSLContext trust;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        OriginFiles origin = new OriginFiles(folder);
        server = new SdkServer(origin);
        String trusted = Files.readString(origin.certificate);
        bare = new Gate(Files.createDirectory(folder.resolve("bare")), trusted, "");
        all = new Gate(
                Files.createDirectory(folder.resolve("all")),
                trusted,
                mcp(Stream.concat(SdkServer.TOOLS.stream(), Stream.of("grown", "no-such-tool"))
                        .map(tool -> "{name: " + tool + "}")
                        .collect(Collectors.joining(", "))));
        some = new Gate(Files.createDirectory(folder.resolve("some")), trusted, mcp("""
                {name: echo}, {name: slow}, {name: grow}, {name: absent},
                {name: send, when: [{path: to, matches: "@example[.]com$"}]}"""));
        trust = trust(bare, all, some, origin);
    }

    private static String mcp(String tools) {
        return "mcp: {error: {code: -32050, message: not here}, servers: [{name: sdk, rules: [{host: localhost}], tools: ["
                + tools.replace("\n", " ") + "]}]}";
    }

    private static SSLContext trust(Gate one, Gate two, Gate three, OriginFiles origin) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Path file : List.of(one.caFile(), two.caFile(), three.caFile(), origin.certificate)) {
            try (var pem = Files.newInputStream(file)) {
                store.setCertificateEntry(
                        file.toString(), CertificateFactory.getInstance("X.509").generateCertificate(pem));
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    @AfterAll
    void stop() throws Exception {
        some.close();
        all.close();
        bare.close();
        server.close();
    }

    private SdkClient direct(Way way) {
        return client(way, settings -> settings.sslContext(trust));
    }

    private SdkClient through(Gate gate, Way way) {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getLoopbackAddress(), way.tls() ? gate.tunnelPort() : gate.httpPort());
        return client(way, settings -> settings.sslContext(trust).proxy(ProxySelector.of(address)));
    }

    private SdkClient client(Way way, Consumer<HttpClient.Builder> settings) {
        String url = server.url(way.tls());
        return way.legacy() ? SdkClient.legacy(url, settings) : SdkClient.streamable(url, "/mcp", settings);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsNoticedWhereAllIsAllowed(Way way) throws Exception {
        List<List<String>> transcripts = new ArrayList<>();
        for (SdkClient each : List.of(direct(way), through(bare, way), through(all, way))) {
            server.shrink();
            try (SdkClient client = each) {
                transcripts.add(client.everything());
            }
        }
        for (int line = 0; line < transcripts.getFirst().size(); line++) {
            assertThat(transcripts.get(1).get(line))
                    .isEqualTo(transcripts.get(0).get(line));
            assertThat(transcripts.get(2).get(line))
                    .isEqualTo(transcripts.get(0).get(line));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyListedToolsAreSeenAndOthersEndInTheProtocolsError(Way way) throws Exception {
        try (SdkClient client = through(some, way)) {
            client.sdk().initialize();
            assertThat(client.tools()).containsExactlyInAnyOrder("echo", "slow", "grow", "send");
            assertThat(client.call("echo", Map.of("a", 1))).startsWith("echoed");
            assertThat(client.call("send", Map.of("to", "friend@example.com"))).isEqualTo("send was run");
            assertThat(client.call("slow", Map.of())).isEqualTo("slow has ended");
            String refused = way.legacy() ? REFUSED_LEGACY : REFUSED;
            assertThat(client.refusal("send", Map.of("to", "foe@example.org"))).contains(refused);
            assertThat(client.refusal("send", Map.of())).contains(refused);
            assertThat(client.refusal("wipe", Map.of())).contains(refused);
            assertThat(client.refusal("ask", Map.of())).contains(refused);
            assertThat(client.call("grow", Map.of())).isEqualTo("there is one more");
            assertThat(client.change("grow")).containsExactly("echo", "grow", "send", "slow");
            assertThat(client.call("echo", Map.of())).startsWith("echoed");
        }
        assertThat(server.called()).doesNotContain("wipe");
    }

    @Test
    void aServerWithoutSessionsAnswersInJson() {
        Consumer<HttpClient.Builder> proxied = settings -> settings.proxy(
                ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), some.tunnelPort())));
        try (SdkClient direct = SdkClient.streamable(server.url(false), "/stateless", settings -> {});
                SdkClient client = SdkClient.streamable(server.url(false), "/stateless", proxied)) {
            assertThat(client.sdk().initialize()).isEqualTo(direct.sdk().initialize());
            assertThat(direct.tools()).containsExactlyInAnyOrder("echo", "send", "wipe");
            assertThat(client.tools()).containsExactlyInAnyOrder("echo", "send");
            assertThat(client.call("echo", Map.of("a", "b"))).isEqualTo(direct.call("echo", Map.of("a", "b")));
            assertThat(client.refusal("wipe", Map.of())).isEqualTo(REFUSED);
        }
    }

    @Test
    void pagesKeepTheirCursors() throws Exception {
        try (RawServer pages = new RawServer(JavaSdkTest::page);
                SdkClient client = SdkClient.streamable(
                        "http://" + pages.authority(),
                        "/mcp",
                        settings -> settings.proxy(ProxySelector.of(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), some.tunnelPort()))))) {
            client.sdk().initialize();
            assertThat(client.tools()).containsExactly("echo", "send");
        }
        assertThat(page("\"cursor\":\"second\"")).contains("wipe");
    }

    /** Three pages, of which the second has nothing that is listed. */
    private static byte[] page(Seen request) {
        String body = new String(request.body(), StandardCharsets.UTF_8);
        if (!request.line().startsWith("POST")) {
            return Wire.answer(405, "", new byte[0]);
        }
        if (!body.contains("\"id\"")) {
            return Wire.answer(202, "", new byte[0]);
        }
        String id = body.replaceAll("(?s).*\"id\":(\"[^\"]*\"|[0-9]+).*", "$1");
        return Wire.json("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + page(body) + "}");
    }

    private static String page(String body) {
        if (body.contains("\"initialize\"")) {
            return "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"pages\",\"version\":\"1\"}}";
        }
        String tool = "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}";
        if (body.contains("\"cursor\":\"second\"")) {
            return "{\"tools\":[" + tool.formatted("wipe") + "],\"nextCursor\":\"third\"}";
        }
        return body.contains("\"cursor\":\"third\"")
                ? "{\"tools\":[" + tool.formatted("send") + "]}"
                : "{\"tools\":[" + tool.formatted("echo") + "," + tool.formatted("wipe")
                        + "],\"nextCursor\":\"second\"}";
    }
}
