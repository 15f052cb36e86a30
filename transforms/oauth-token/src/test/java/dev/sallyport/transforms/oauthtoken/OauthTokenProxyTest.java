package dev.sallyport.transforms.oauthtoken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayOutputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole proxy between a client, an API and an issuer that enforces its grants, all behind real sockets. */
class OauthTokenProxyTest {

    private static final int MANY = 1000;

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final TokenServer server = new TokenServer();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final TestUpstream api = TestUpstream.http(request -> TestResponse.ok(request.header("Authorization")));
    private final CountDownLatch arrived = new CountDownLatch(MANY);
    private final FakeSecrets secrets = new FakeSecrets()
            .set("ID", TokenServer.CLIENT)
            .set("SECRET", TokenServer.SECRET)
            .set("REFRESH", TokenServer.REFRESH);

    @TempDir
    Path folder;

    private Path config;

    /** Counts the requests that have come as far as the transform before {@code oauth_token}. */
    private record Counting(CountDownLatch latch) implements TransformFactory<Counting.Config> {

        record Config() {}

        @Override
        public Descriptor<Config> descriptor() {
            return Descriptor.of("counting", Config.class, "Counts.");
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            return (InlineTransform) request -> {
                latch.countDown();
                return Decision.proceed();
            };
        }
    }

    @BeforeEach
    void write() throws Exception {
        config = folder.resolve("proxy.yaml");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        configure(Setup.CLIENT_CREDENTIALS, "localhost", "mode: mitm");
    }

    @AfterEach
    void close() {
        api.close();
        issuer.close();
    }

    private void configure(String entry, String rule, String tls) throws Exception {
        Files.writeString(config, """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                tls: {%s, ca_cert: ca.pem, ca_key: ca.key}
                metrics: {listen: disabled}
                transforms:
                  - name: counting
                    config: {}
                  - name: oauth_token
                    config:
                      tokens:
                        - {%s, token_endpoint: "%s/oauth/token", token_endpoint_headers: {X-aPI-kEY: {type: fake, name: REFRESH}}, rules: [{host: %s}]}
                """.formatted(tls, entry, issuer.url(), rule));
    }

    private EgressProxy proxy() {
        return EgressProxy.builder()
                .config(config)
                .catalog(PluginCatalog.of(List.of(new Counting(arrived), new OauthTokenFactory()), List.of(secrets)))
                .auditSink(AuditSinks.stream(audit))
                .build();
    }

    private static HttpClient client(EgressProxy proxy) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(ProxySelector.of(proxy.tunnelAddress()))
                .build();
    }

    private static HttpRequest get(String url) {
        return HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofMinutes(1))
                .build();
    }

    private String ask(HttpClient client) throws Exception {
        return client.send(get(api.url() + "/x"), BodyHandlers.ofString()).body();
    }

    @Test
    void thousandRequestsAtOnceCauseOneMint() throws Exception {
        server.instead = request -> {
            await(arrived);
            return TestResponse.ok("{\"access_token\":\"minted-token-1\",\"expires_in\":3600}");
        };
        try (EgressProxy proxy = proxy()) {
            proxy.start();
            try (HttpClient client = client(proxy)) {
                List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
                for (int i = 0; i < MANY; i++) {
                    sent.add(client.sendAsync(get(api.url() + "/" + i), BodyHandlers.ofString()));
                }
                for (CompletableFuture<HttpResponse<String>> one : sent) {
                    HttpResponse<String> response = one.get(3L * Patience.SECONDS, TimeUnit.SECONDS);
                    assertThat(response.statusCode()).isEqualTo(200);
                    assertThat(response.body()).isEqualTo("Bearer sallyport-stub-token");
                }
            }
        }
        assertThat(server.asked).hasValue(1);
        assertThat(api.requests())
                .hasSize(MANY)
                .allSatisfy(request ->
                        assertThat(request.headers().all("Authorization")).containsExactly("Bearer minted-token-1"));
        assertThat(audit.toString(StandardCharsets.UTF_8)).doesNotContain("minted-token");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void tokenAndRefreshTokenOutliveReloads() throws Exception {
        server.rotates = true;
        configure(Setup.REFRESH_TOKEN, "localhost", "mode: mitm");
        try (EgressProxy proxy = proxy()) {
            proxy.start();
            try (HttpClient client = client(proxy)) {
                assertThat(ask(client)).isEqualTo("Bearer sallyport-stub-token");
                // An unchanged configuration, then one with other rules.
                assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
                ask(client);
                configure(Setup.REFRESH_TOKEN, "'*'", "mode: mitm");
                assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
                ask(client);
                assertThat(server.asked).hasValue(1);

                // What mints differently has no token yet, and begins with the configured refresh token.
                server.valid.add(TokenServer.REFRESH);
                configure(Setup.REFRESH_TOKEN + ", scopes: [a]", "'*'", "mode: mitm");
                assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
                ask(client);
                assertThat(server.asked).hasValue(2);
                assertThat(server.form).containsEntry("refresh_token", TokenServer.REFRESH);
            }
        }
        assertThat(api.requests())
                .extracting(request -> request.header("Authorization"))
                .containsExactly(
                        "Bearer minted-token-1",
                        "Bearer minted-token-1",
                        "Bearer minted-token-1",
                        "Bearer minted-token-2");
    }

    @Test
    void headersOfTheRequestForATokenKeepTheirCasing() throws Exception {
        try (EgressProxy proxy = proxy()) {
            proxy.start();
            try (HttpClient client = client(proxy)) {
                ask(client);
            }
        }
        assertThat(issuer.requests())
                .singleElement()
                .satisfies(request -> assertThat(request.headers().names()).contains("X-aPI-kEY"));
    }

    @Test
    void hugeAnswerIsNotRead() throws Exception {
        server.instead = request -> TestResponse.ok(
                "{\"access_token\":\"minted-token\",\"filler\":\"" + "x".repeat(Issuer.MAX_ANSWER) + "\"}");
        try (EgressProxy proxy = proxy()) {
            proxy.start();
            try (HttpClient client = client(proxy)) {
                HttpResponse<String> response = client.send(get(api.url() + "/x"), BodyHandlers.ofString());
                assertThat(response.statusCode()).isEqualTo(502);
                assertThat(response.body()).contains("token_unavailable", "(token_endpoint_unreachable)");
            }
        }
    }

    @Test
    void clientGetsThePlaceholderThroughTheProxy() throws Exception {
        try (EgressProxy proxy = proxy()) {
            proxy.start();
            try (HttpClient client = client(proxy)) {
                HttpResponse<String> response =
                        client.send(get(issuer.url() + "/oauth/token"), BodyHandlers.ofString());
                assertThat(response.body())
                        .isEqualTo(
                                "{\"access_token\":\"sallyport-stub-token\",\"expires_in\":3600,\"token_type\":\"Bearer\"}");
                assertThat(response.headers().firstValue("Content-Length")).contains("79");
            }
        }
        assertThat(server.asked).hasValue(0);
        assertThat(audit.toString(StandardCharsets.UTF_8))
                .contains("\"action\":\"stub\"", "\"stubbed_by\":\"oauth_token\"");
    }

    @Test
    void interceptionIsNeeded() throws Exception {
        configure(Setup.CLIENT_CREDENTIALS, "localhost", "mode: sni-only");
        try (EgressProxy proxy = proxy()) {
            assertThatThrownBy(proxy::start).isInstanceOf(StartException.class).hasMessageContaining("oauth_token");
        }
    }
}
