package dev.sallyport.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;

class TestUpstreamTest {

    @Test
    void answersOverTlsAndKeepsWhatItWasSent() throws Exception {
        try (TestUpstream upstream = TestUpstream.https(
                        request -> TestResponse.ok("echo " + request.body()).header("X-Seen", "yes"));
                HttpClient client = HttpClient.newBuilder()
                        .sslContext(trusting(upstream.certificatePem()))
                        .build()) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(upstream.url() + "/path?q=1"))
                            .POST(HttpRequest.BodyPublishers.ofString("hello"))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("echo hello");
            assertThat(response.headers().firstValue("x-seen")).contains("yes");
            assertThat(upstream.requests()).singleElement().satisfies(seen -> {
                assertThat(seen.target()).isEqualTo("/path?q=1");
                assertThat(seen.body()).isEqualTo("hello");
            });
        }
    }

    private static SSLContext trusting(String pem) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "upstream",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
