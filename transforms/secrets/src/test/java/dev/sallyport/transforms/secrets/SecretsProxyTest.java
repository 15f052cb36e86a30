package dev.sallyport.transforms.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.chain.AuditKey;
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
import java.net.http.HttpRequest.BodyPublishers;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job over real sockets: CONNECT, interception, and a credential that the client never sees. */
class SecretsProxyTest {

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    @Test
    void credentialReachesTheUpstreamAndNobodyElse(@TempDir Path folder) throws Exception {
        // given
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        try (TestUpstream upstream = TestUpstream.https(request -> TestResponse.ok("done"))) {
            Path upstreamCa = Files.writeString(folder.resolve("upstream.pem"), upstream.certificatePem());
            String yaml = """
                    dns: {enabled: false}
                    proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                    tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                    metrics: {listen: disabled}
                    transforms:
                      - name: secrets
                        config:
                          secrets:
                            - source: {type: fake, name: TOKEN}
                              replace: {proxy_value: PLACEHOLDER, match_body: true, match_query: true}
                              rules: [{host: localhost}]
                    """.formatted(cert, key, upstreamCa);
            PluginCatalog catalog = PluginCatalog.of(List.of(new SecretsFactory()), List.of(Fixture.values()));
            try (EgressProxy proxy = EgressProxy.builder()
                    .configText("test.yaml", yaml)
                    .catalog(catalog)
                    .auditSink(AuditSinks.stream(audit))
                    .build()) {
                proxy.start();

                // when
                HttpResponse<String> response = send(proxy, cert, upstream.url() + "/v1?t=PLACEHOLDER");

                // then
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("done");
            }
            assertThat(upstream.requests()).singleElement().satisfies(seen -> {
                assertThat(seen.target()).isEqualTo("/v1?t=s3cr3t%2F%2Bvalue");
                assertThat(seen.header("Authorization")).isEqualTo("Bearer " + Fixture.REAL);
                assertThat(seen.body()).isEqualTo("body with " + Fixture.REAL);
            });
        }
        assertThat(audit.toString(StandardCharsets.UTF_8))
                .contains("\"path\":\"/v1?t=PLACEHOLDER\"")
                .contains("\"swapped\":[{\"secret\":\"TOKEN\"", "\"header:Authorization\"", "\"query:t\"", "\"body\"")
                .doesNotContain("s3cr3t");
    }

    /** docs/spec/decisions.md, section 14: what tells which records used a secret. */
    @Test
    void recordsCarryTheFingerprintOfWhatWasUsedWhereThereIsAnAuditKey(@TempDir Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        Path file = folder.resolve("audit.jsonl");
        try (TestUpstream upstream = TestUpstream.https(request -> TestResponse.ok("done"))) {
            Path upstreamCa = Files.writeString(folder.resolve("upstream.pem"), upstream.certificatePem());
            String yaml = """
                    dns: {enabled: false}
                    proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []}
                    tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                    metrics: {listen: disabled}
                    log: {audit: {file: "%s", chain: true}}
                    transforms:
                      - name: secrets
                        config:
                          secrets:
                            - source: {type: fake, name: TOKEN}
                              replace: {proxy_value: PLACEHOLDER, match_body: true}
                              rules: [{host: localhost}]
                            - source: {type: fake, name: TOKEN}
                              inject: {header: X-Token}
                              rules: [{host: localhost}]
                    """.formatted(cert, key, upstreamCa, file);
            PluginCatalog catalog = PluginCatalog.of(List.of(new SecretsFactory()), List.of(Fixture.values()));
            try (EgressProxy proxy = EgressProxy.builder()
                    .configText("test.yaml", yaml)
                    .catalog(catalog)
                    .build()) {
                proxy.start();
                assertThat(send(proxy, cert, upstream.url() + "/v1").statusCode())
                        .isEqualTo(200);
            }
        }

        String fingerprint = AuditKey.load(folder.resolve("audit.jsonl.key"))
                .fingerprint(Fixture.REAL.getBytes(StandardCharsets.UTF_8));
        assertThat(Files.readString(file))
                .contains(
                        "\"swapped\":[{\"secret\":\"TOKEN\",\"fingerprint\":\"" + fingerprint + "\",\"locations\":",
                        "\"injected\":[{\"secret\":\"TOKEN\",\"fingerprint\":\"" + fingerprint + "\",\"locations\":")
                .doesNotContain("s3cr3t");
    }

    private static HttpResponse<String> send(EgressProxy proxy, Path ca, String url) throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .proxy(ProxySelector.of(proxy.tunnelAddress()))
                .sslContext(trusting(Files.readAllBytes(ca)))
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .header("Authorization", "Bearer PLACEHOLDER")
                    .POST(BodyPublishers.ofString("body with PLACEHOLDER"))
                    .build();
            return client.send(request, BodyHandlers.ofString());
        }
    }

    private static SSLContext trusting(byte[] pem) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "ca", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem)));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
