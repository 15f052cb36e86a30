package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.Collections;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the proxy itself serves under {@code sallyport.internal}, whatever the policy. */
class LocalSiteTest {

    @TempDir
    Path folder;

    private TestCertificates certificates;
    private X509Certificate authority;

    @BeforeEach
    void readAuthority() throws Exception {
        certificates = new TestCertificates(folder);
        try (InputStream in = Files.newInputStream(certificates.caCert)) {
            authority =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private TestProxy denyingAll() throws Exception {
        return TestProxy.builder(folder)
                .certificates(certificates)
                .transform("deny", request -> Decision.reject(403, "denied", "Denied."))
                .start();
    }

    @ParameterizedTest
    @CsvSource({
        "/ca.pem, application/x-pem-file",
        "/ca.der, application/pkix-cert",
        "/ca.p12, application/x-pkcs12",
        "/ca.jks, application/x-java-keystore"
    })
    void servesTheAuthorityInEveryFormat(String path, String type) throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = proxy.http()) {
            // when
            Wire.Message answer = client.send(head("GET " + path + " HTTP/1.1", "Host: sallyport.internal"))
                    .message();

            // then
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.head()).contains("Content-Type: " + type, "ETag: \"", "Cache-Control: no-cache");
            byte[] content = answer.body().getBytes(StandardCharsets.ISO_8859_1);
            assertThat(certificate(path, content)).isEqualTo(authority);
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("stub");
            assertThat(record.at("/stubbed_by").asText()).isEqualTo("sallyport");
            assertThat(record.at("/audit/host").asText()).isEqualTo("sallyport.internal");
            assertThat(record.at("/audit/path").asText()).isEqualTo(path);
            assertThat(record.at("/audit/duration_ms").asDouble()).isPositive();
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(200);
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(content.length);
        }
    }

    /** For clients that accept no certificate of which nobody tells whether it was revoked. */
    @Test
    void servesAListOfRevokedCertificatesThatLeavesName() throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = proxy.https(certificates, "any.test");
                Wire plain = proxy.http()) {
            X509Certificate leaf =
                    (X509Certificate) ((SSLSocket) client.socket()).getSession().getPeerCertificates()[0];
            Wire.Message answer = plain.send(head("GET /ca.crl HTTP/1.1", "Host: sallyport.internal"))
                    .message();

            assertThat(new String(leaf.getExtensionValue("2.5.29.31"), StandardCharsets.ISO_8859_1))
                    .contains("http://sallyport.internal/ca.crl");
            assertThat(answer.head()).contains("Content-Type: application/pkix-crl");
            X509CRL list = (X509CRL) CertificateFactory.getInstance("X.509")
                    .generateCRL(new ByteArrayInputStream(answer.body().getBytes(StandardCharsets.ISO_8859_1)));
            list.verify(authority.getPublicKey());
            assertThat(list.isRevoked(leaf)).isFalse();
        }
    }

    private static X509Certificate certificate(String path, byte[] content) throws Exception {
        if (path.endsWith(".pem") || path.endsWith(".der")) {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(content));
        }
        KeyStore store = KeyStore.getInstance(path.endsWith(".jks") ? "JKS" : "PKCS12");
        store.load(new ByteArrayInputStream(content), "changeit".toCharArray());
        assertThat(Collections.list(store.aliases())).containsExactly("sallyport");
        assertThat(store.isCertificateEntry("sallyport")).as("trusted").isTrue();
        return (X509Certificate) store.getCertificate("sallyport");
    }

    /** Each way in: what is sent first, up to the connection on which the request goes, and its target. */
    @ParameterizedTest
    @ValueSource(
            strings = {"http", "http with port", "absolute", "absolute on http", "connect", "connect tls", "https"})
    void answersOnEveryWayIn(String way) throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = enter(proxy, way)) {
            String target = way.startsWith("absolute") ? "http://sallyport.internal/ca.pem" : "/ca.pem";
            String host = way.equals("http with port")
                    ? "sallyport.internal:" + proxy.proxy().httpAddress().getPort()
                    : "Sallyport.Internal";

            Wire.Message answer = client.send(head("GET " + target + " HTTP/1.1", "Host: " + host))
                    .message();

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(Files.readString(certificates.caCert));
            assertThat(proxy.record().at("/stubbed_by").asText()).isEqualTo("sallyport");
        }
    }

    private Wire enter(TestProxy proxy, String way) throws Exception {
        if (way.equals("https")) {
            return proxy.https(certificates, "sallyport.internal");
        }
        if (!way.startsWith("connect")) {
            return way.equals("absolute") ? proxy.tunnel() : proxy.http();
        }
        Wire tunnel = proxy.tunnel();
        int port = way.equals("connect") ? 80 : 443;
        tunnel.send(head("CONNECT sallyport.internal:" + port + " HTTP/1.1", "Host: sallyport.internal"));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        if (port == 80) {
            return tunnel;
        }
        SSLSocket inside = TestProxy.secure(certificates, tunnel.socket(), "sallyport.internal");
        return new Wire(inside);
    }

    @Test
    void answersHeadAndKeepsTheConnection() throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = proxy.http()) {
            String first = client.send(head("HEAD /ca.pem HTTP/1.1", "Host: sallyport.internal"))
                    .readHead();
            Wire.Message index = client.send(head("GET / HTTP/1.1", "Host: sallyport.internal"))
                    .message();

            assertThat(first).startsWith("HTTP/1.1 200 ").contains("Content-Length: ");
            assertThat(index.head()).contains("Content-Type: text/plain");
            assertThat(index.body()).contains("/ca.pem", "/env.sh").doesNotContain("@");
        }
    }

    @Test
    void knowsWhatTheClientHas() throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = proxy.http()) {
            String first = client.send(head("GET /ca.p12 HTTP/1.1", "Host: sallyport.internal"))
                    .message()
                    .head();
            String tag = first.lines()
                    .filter(line -> line.startsWith("ETag: "))
                    .findFirst()
                    .orElseThrow()
                    .substring(6);

            String again = client.send(
                            head("GET /ca.p12 HTTP/1.1", "Host: sallyport.internal", "If-None-Match: " + tag))
                    .readHead();

            assertThat(again).startsWith("HTTP/1.1 304 ").contains("ETag: " + tag);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /ca.pem, 405, method_not_allowed",
        "DELETE, /, 405, method_not_allowed",
        "GET, /nothing, 404, not_found",
        "GET, /ca.key, 404, not_found",
        "GET, /CA.PEM, 404, not_found"
    })
    void refusesTheRest(String method, String path, int status, String code) throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire client = proxy.http()) {
            Wire.Message answer = client.send(
                            head(method + " " + path + " HTTP/1.1", "Host: sallyport.internal", "Content-Length: 0"))
                    .message();

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
            assertThat(answer.head().contains("Allow: GET, HEAD")).isEqualTo(status == 405);
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.at("/error").asText()).isEqualTo(code);
        }
    }

    @Test
    void theScriptNamesTheProxyToThoseWhoHadToBeTold() throws Exception {
        try (TestProxy proxy = denyingAll();
                Wire steered = proxy.http();
                Wire told = proxy.tunnel()) {
            String without = steered.send(head("GET /env.sh HTTP/1.1", "Host: sallyport.internal"))
                    .message()
                    .body();
            String with = told.send(head("GET http://sallyport.internal/env.sh HTTP/1.1", "Host: sallyport.internal"))
                    .message()
                    .body();

            String address = "http://127.0.0.1:" + proxy.proxy().tunnelAddress().getPort();
            assertThat(without)
                    .doesNotContain("http_proxy")
                    .contains("BEGIN CERTIFICATE")
                    .doesNotContain("@CA@");
            assertThat(with).startsWith(without).contains(address).doesNotContain("@PROXY@");
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void stripsWhatLeadsAroundTheProxy(boolean strip, boolean passed) throws Exception {
        String response = head("HTTP/1.1 103 Early Hints", "Alt-Svc: h3=\":443\"", "Link: </x>")
                + head(
                        "HTTP/1.1 200 OK",
                        "alt-svc: h3=\":443\"; ma=86400",
                        "Alternate-Protocol: 443:quic",
                        "ALT-SVC: h2=\"x:443\"",
                        "Content-Length: 2")
                + "ok";
        try (TestOrigin origin = TestOrigin.answering(response);
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .proxyLines("upstream_deny_cidrs: []", "strip_alt_svc: " + strip)
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));

            String hints = client.readHead();
            String answer = client.message().head();

            assertThat(hints)
                    .contains("103", "Link")
                    .satisfies(text -> assertThat(text.contains("Alt-Svc")).isEqualTo(passed));
            assertThat(answer.toLowerCase(java.util.Locale.ROOT).contains("alt-svc"))
                    .isEqualTo(passed);
            assertThat(answer.contains("Alternate-Protocol")).isEqualTo(passed);
        }
    }
}
