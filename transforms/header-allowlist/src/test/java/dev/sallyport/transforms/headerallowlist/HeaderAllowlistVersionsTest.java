package dev.sallyport.transforms.headerallowlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.io.ByteArrayInputStream;
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
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of either version of HTTP behind a real proxy. */
class HeaderAllowlistVersionsTest {

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    @ParameterizedTest
    @EnumSource
    void headersAreStrippedWhateverTheClientSpeaks(HttpClient.Version version, @TempDir Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        try (TestUpstream origin = TestUpstream.https(request -> TestResponse.ok("done"));
                EgressProxy proxy = started(folder, origin, cert, key);
                HttpClient client = HttpClient.newBuilder()
                        .version(version)
                        .sslContext(trusting(cert))
                        .proxy(ProxySelector.of(proxy.tunnelAddress()))
                        .build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(origin.url() + "/v1"))
                    .header("X-Request-ID", "7")
                    .header("x-tag", "a")
                    .header("X-TAG", "b")
                    .build();
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(version);
            assertThat(response.body()).isEqualTo("done");
            proxy.close();
            assertThat(audit.toString(StandardCharsets.UTF_8))
                    .contains("\"X-Tag\"")
                    .doesNotContain("\"Host\"");
            assertThat(origin.requests()).singleElement().satisfies(seen -> {
                assertThat(seen.header("X-Request-Id")).isEqualTo("7");
                assertThat(seen.headers().names())
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .contains("host", "x-request-id")
                        .doesNotContain("x-tag", "user-agent");
            });
        }
    }

    private EgressProxy started(Path folder, TestUpstream origin, Path cert, Path key) throws Exception {
        Path trusted = Files.writeString(folder.resolve("upstream.pem"), origin.certificatePem());
        EgressProxy proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []}
                        tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - {name: header_allowlist, config: {headers: [X-Request-Id]}}
                        """.formatted(cert, key, trusted))
                .catalog(PluginCatalog.of(List.of(new HeaderAllowlistFactory()), List.of()))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        return proxy;
    }

    private static SSLContext trusting(Path cert) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(cert))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
