package dev.sallyport.transforms.oauthtoken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.io.ByteArrayOutputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An API that no longer accepts a token which the proxy still holds for valid (docs/spec/decisions.md, section 20). */
class UnauthorizedTest {

    private static final int MANY = 50;
    private static final String REFUSED = "the token was revoked";

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final TokenServer server = new TokenServer();
    private final Set<String> revoked = ConcurrentHashMap.newKeySet();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final TestUpstream api = TestUpstream.http(this::answer);
    private final FakeSecrets secrets =
            new FakeSecrets().set("ID", TokenServer.CLIENT).set("SECRET", TokenServer.SECRET);

    @TempDir
    Path folder;

    private Path config;

    @BeforeEach
    void write() throws Exception {
        config = folder.resolve("proxy.yaml");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        configure("");
    }

    @AfterEach
    void close() {
        api.close();
        issuer.close();
    }

    private void configure(String more) throws Exception {
        Files.writeString(config, """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                metrics: {listen: disabled}
                transforms:
                  - name: oauth_token
                    config:
                      tokens:
                        - {%s, token_endpoint: "%s/oauth/token", rules: [{host: localhost}]%s}
                """.formatted(Setup.CLIENT_CREDENTIALS, issuer.url(), more));
    }

    private TestResponse answer(ForwardedRequest request) {
        String shown = request.header("Authorization");
        if (!revoked.contains(shown)) {
            return TestResponse.ok("done with " + shown);
        }
        return TestResponse.status(401)
                .header("WWW-Authenticate", "Bearer error=\"invalid_token\"")
                .body(REFUSED + ": " + shown);
    }

    private EgressProxy proxy() throws Exception {
        EgressProxy proxy = EgressProxy.builder()
                .config(config)
                .catalog(PluginCatalog.of(List.of(new OauthTokenFactory()), List.of(secrets)))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        return proxy;
    }

    private static HttpClient client(EgressProxy proxy) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(ProxySelector.of(proxy.tunnelAddress()))
                .build();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(api.url() + path)).timeout(Duration.ofMinutes(1));
    }

    private HttpResponse<String> get(HttpClient client) throws Exception {
        return client.send(to("/x").build(), BodyHandlers.ofString());
    }

    private List<String> shown() {
        return api.requests().stream()
                .map(request -> request.method() + " " + request.header("Authorization"))
                .toList();
    }

    @Test
    void getIsSentOnceMoreWithTheNextToken() throws Exception {
        revoked.add("Bearer minted-token-1");
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            HttpResponse<String> response = get(client);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("done with Bearer sallyport-stub-token");
            assertThat(get(client).statusCode()).isEqualTo(200);
        }
        assertThat(server.asked).hasValue(2);
        assertThat(shown())
                .containsExactly("GET Bearer minted-token-1", "GET Bearer minted-token-2", "GET Bearer minted-token-2");
        String[] records = audit.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("\"request\""))
                .toArray(String[]::new);
        assertThat(records).hasSize(2);
        assertThat(records[0]).contains("\"minted_again\":true", "\"status_code\":200");
        assertThat(records[1]).doesNotContain("minted_again");
        assertThat(String.join("", records)).doesNotContain("minted-token");
    }

    @Test
    void headIsSentOnceMoreToo() throws Exception {
        revoked.add("Bearer minted-token-1");
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            assertThat(client.send(to("/x").HEAD().build(), BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(shown()).containsExactly("HEAD Bearer minted-token-1", "HEAD Bearer minted-token-2");
    }

    /** What has an effect is not done twice, but the token is gone. */
    @Test
    void postIsNotSentAgain() throws Exception {
        revoked.add("Bearer minted-token-1");
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            HttpRequest post = to("/x").POST(BodyPublishers.ofString("order")).build();
            HttpResponse<String> first = client.send(post, BodyHandlers.ofString());
            assertThat(first.statusCode()).isEqualTo(401);
            assertThat(first.body()).isEqualTo(REFUSED + ": Bearer sallyport-stub-token");
            assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
        assertThat(shown()).containsExactly("POST Bearer minted-token-1", "POST Bearer minted-token-2");
    }

    @Test
    void retryCanBeTurnedOff() throws Exception {
        configure(", retry_unauthorized: false");
        revoked.add("Bearer minted-token-1");
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            assertThat(get(client).statusCode()).isEqualTo(401);
            assertThat(get(client).statusCode()).isEqualTo(200);
        }
        assertThat(shown()).containsExactly("GET Bearer minted-token-1", "GET Bearer minted-token-2");
    }

    /** An API that refuses every token costs one early mint in ten seconds, and clients see its answer. */
    @Test
    void refusalOfEveryTokenCausesOneEarlyMint() throws Exception {
        for (int i = 1; i < 20; i++) {
            revoked.add("Bearer minted-token-" + i);
        }
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> response = get(client);
                assertThat(response.statusCode()).isEqualTo(401);
                assertThat(response.body()).isEqualTo(REFUSED + ": Bearer sallyport-stub-token");
            }
        }
        assertThat(server.asked).hasValue(2);
        assertThat(shown())
                .hasSize(6)
                .filteredOn("GET Bearer minted-token-1"::equals)
                .hasSize(1);
    }

    @Test
    void manyRefusalsAtOnceCauseOneMint() throws Exception {
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            assertThat(get(client).statusCode()).isEqualTo(200);
            revoked.add("Bearer minted-token-1");
            List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                sent.add(client.sendAsync(to("/" + i).build(), BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> one : sent) {
                assertThat(one.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            }
        }
        assertThat(server.asked).hasValue(2);
    }

    @Test
    void refusalIsPassedOnWhereNoOtherTokenCanBeMinted() throws Exception {
        try (EgressProxy proxy = proxy();
                HttpClient client = client(proxy)) {
            assertThat(get(client).statusCode()).isEqualTo(200);
            revoked.add("Bearer minted-token-1");
            server.instead = request -> TokenServer.error(503, "down");
            HttpResponse<String> response = get(client);
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.body()).isEqualTo(REFUSED + ": Bearer sallyport-stub-token");
        }
    }
}
