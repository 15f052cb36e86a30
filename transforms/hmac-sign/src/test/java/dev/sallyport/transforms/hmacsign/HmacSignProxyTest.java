package dev.sallyport.transforms.hmacsign;

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
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that verifies each request by itself, behind a real proxy, for a client that has no key. */
class HmacSignProxyTest {

    private static final byte[] KEY = "a key of some length".getBytes(StandardCharsets.UTF_8);

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    @Test
    void serviceAcceptsWhatTheProxySignedAndNothingElse(@TempDir Path folder) throws Exception {
        try (TestUpstream service = TestUpstream.http(HmacSignProxyTest::verify);
                EgressProxy proxy = started(folder);
                HttpClient client = HttpClient.newBuilder()
                        .proxy(ProxySelector.of(proxy.tunnelAddress()))
                        .build()) {
            URI signed = URI.create(service.url() + "/v1/orders?b=2&a=%20");
            assertThat(status(client, signed, "GET", BodyPublishers.noBody())).isEqualTo(200);
            assertThat(status(client, signed, "POST", BodyPublishers.ofString("{\"size\":\"1,5 €\"}")))
                    .isEqualTo(200);
            assertThat(status(client, URI.create(service.url() + "/v2/orders"), "GET", BodyPublishers.noBody()))
                    .isEqualTo(401);
        }
        assertThat(audit.toString(StandardCharsets.UTF_8))
                .contains("\"signed\":[\"header:X-Signature\",\"header:X-Timestamp\"]")
                .doesNotContain("a key of some length");
    }

    private static int status(HttpClient client, URI uri, String method, BodyPublisher body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri).method(method, body).build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private EgressProxy started(Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        EgressProxy proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - name: hmac_sign
                            config:
                              timestamp: {format: rfc3339}
                              signature:
                                algorithm: sha512
                                key_encoding: base64
                                output_encoding: base64
                                message: "{{.Timestamp}}\\n{{.Method}}\\n{{.PathWithQuery}}\\n{{.Body}}"
                              credentials: {secret: {type: fake, name: KEY}}
                              headers:
                                - {name: X-Signature, value: "v1={{.Signature}}"}
                                - {name: X-Timestamp, value: "{{.Timestamp}}"}
                              rules: [{host: localhost, paths: [/v1/*]}]
                        """.formatted(cert, key))
                .catalog(PluginCatalog.of(
                        List.of(new HmacSignFactory()),
                        List.of(new FakeSecrets().set("KEY", Base64.getEncoder().encodeToString(KEY)))))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        return proxy;
    }

    /** As such services do: recompute, compare, and refuse what is older than a minute. */
    private static TestResponse verify(ForwardedRequest request) {
        try {
            String timestamp = String.valueOf(request.header("X-Timestamp"));
            String signature = String.valueOf(request.header("X-Signature"));
            if (!signature.startsWith("v1=")
                    || Duration.between(Instant.parse(timestamp), Instant.now()).toSeconds() > 60) {
                return TestResponse.status(401);
            }
            Mac mac = Mac.getInstance("HmacSHA512");
            mac.init(new SecretKeySpec(KEY, "HmacSHA512"));
            mac.update((timestamp + "\n" + request.method() + "\n" + request.target() + "\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            byte[] expected = mac.doFinal(request.body().getBytes(StandardCharsets.UTF_8));
            boolean equal = MessageDigest.isEqual(expected, Base64.getDecoder().decode(signature.substring(3)));
            return TestResponse.status(equal ? 200 : 401);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
