package dev.sallyport.transforms.svcacctauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.StartException;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A key that was delivered to the proxy, and is deleted: neither it nor a token of it is used again. */
@Timeout(60)
class DeletedKeyTest {

    @TempDir
    Path folder;

    private final AccountServer server = new AccountServer();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final TestUpstream origin = TestUpstream.http(request -> {
        seen.add(String.valueOf(request.header("Authorization")));
        return TestResponse.ok("ok");
    });

    @AfterEach
    void close() {
        issuer.close();
        origin.close();
    }

    private static void apply(EgressProxy proxy, PipelineUpdate.Builder update) throws Exception {
        assertThat(proxy.pipelines()
                        .apply(update.build())
                        .toCompletableFuture()
                        .get(Patience.SECONDS, TimeUnit.SECONDS)
                        .problems())
                .isEmpty();
    }

    private HttpResponse<String> get(HttpClient client) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(origin.url() + "/")).build(), HttpResponse.BodyHandlers.ofString());
    }

    private EgressProxy proxy() throws IOException, StartException {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        EgressProxy proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms: []
                        """.formatted(cert, key))
                .catalog(PluginCatalog.of(List.of(new SvcacctAuthFactory()), List.of(new DeliveredSourceFactory())))
                .auditSink(AuditSinks.none())
                .build();
        proxy.start();
        return proxy;
    }

    private static HttpClient through(EgressProxy proxy) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(ProxySelector.of(Objects.requireNonNull(proxy.tunnelAddress())))
                .build();
    }

    @Test
    void neitherTheKeyNorItsTokenIsUsedAgain() throws Exception {
        WorkloadSpec job = WorkloadSpec.builder("job")
                .sourceCidr("127.0.0.1")
                .pipeline(PipelineSpec.of("""
                        transforms:
                          - name: svcacct_auth
                            config: {keyfile: {type: control_plane, ref: key}, scopes: [one]}
                        """))
                .build();
        SecretValue key =
                SecretValue.of(KeyFiles.REAL.json(issuer.url() + "/token").toString());
        try (EgressProxy proxy = proxy();
                HttpClient client = through(proxy)) {
            apply(proxy, PipelineUpdate.builder().upsert(job).secret("key", "1", key));
            assertThat(get(client).statusCode()).isEqualTo(200);

            apply(proxy, PipelineUpdate.builder().removeSecret("key"));

            HttpResponse<String> refused = get(client);
            assertThat(refused.statusCode()).isEqualTo(502);
            assertThat(refused.body()).contains("credential_unavailable");
            assertThat(seen).containsExactly("Bearer " + AccountServer.token(1));
            assertThat(server.asked).hasValue(1);

            // when it is delivered again, it serves again
            apply(proxy, PipelineUpdate.builder().secret("key", "2", key));
            assertThat(get(client).statusCode()).isEqualTo(200);
        }
    }
}
