package dev.sallyport.transforms.annotate;

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
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of either version of HTTP behind a real proxy. */
class AnnotateProxyTest {

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    @ParameterizedTest
    @EnumSource
    void headersAreRecordedWhateverTheClientSpeaks(HttpClient.Version version, @TempDir Path folder) throws Exception {
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
                    .contains("\"annotations\":{\"header:Host\":\""
                            + origin.url().substring("https://".length())
                            + "\",\"header:X-Request-Id\":\"7\",\"header:X-Tag\":[\"a\",\"b\"]}");
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
                          - name: annotate
                            config:
                              annotations:
                                - rules: [{host: localhost}]
                                  headers: [Host, X-Request-Id, X-Tag, X-Absent]
                        """.formatted(cert, key, trusted))
                .catalog(PluginCatalog.of(List.of(new AnnotateFactory()), List.of()))
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
