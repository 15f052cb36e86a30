package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestChain;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins whose chain of certificates is not complete, and origins that ask for a certificate. */
@Timeout(120)
class OriginCertificatesTest {

    private static final String INCOMPLETE = "the peer did not send that of its issuer";

    @TempDir
    Path folder;

    private TestCertificates certificates;
    private TestChain chain;

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder);
        chain = new TestChain(folder);
    }

    private TestProxy proxy(String... lines) throws Exception {
        String[] all = new String[lines.length + 2];
        all[0] = "ca_cert: " + certificates.caCert;
        all[1] = "ca_key: " + certificates.caKey;
        System.arraycopy(lines, 0, all, 2, lines.length);
        return TestProxy.builder(folder)
                .certificates(certificates)
                .tlsLines(all)
                .catalog(Tenants.catalog())
                .start();
    }

    private static TestOrigin origin(SSLContext context) {
        return TestOrigin.tls(context, TestOrigin.always(request -> TestOrigin.ok("trusted")));
    }

    private static Wire.Message get(TestProxy proxy, TestOrigin origin) throws Exception {
        String authority = "localhost:" + origin.port();
        try (Wire client = proxy.tunnel()) {
            return client.send(head("GET https://" + authority + "/ HTTP/1.1", "Host: " + authority))
                    .message();
        }
    }

    @Test
    void aChainThatLacksItsIntermediateCertificateIsCalledSo() throws Exception {
        try (TestOrigin origin = origin(chain.server("localhost"));
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem)) {
            Wire.Message got = get(proxy, origin);

            assertThat(got.status()).isEqualTo(502);
            assertThat(got.body()).contains("upstream_tls_error", INCOMPLETE, "tls.upstream_ca");
            assertThat(proxy.record().path("error").asText()).contains(INCOMPLETE);
        }
    }

    @Test
    void aCompleteChainIsTrusted() throws Exception {
        try (TestOrigin origin = origin(chain.server("localhost", chain.intermediate));
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem)) {
            assertThat(get(proxy, origin).body()).isEqualTo("trusted");
        }
    }

    @Test
    void anIntermediateCertificateMayStandInTheConfiguration() throws Exception {
        try (TestOrigin origin = origin(chain.server("localhost"));
                TestProxy proxy = proxy("upstream_ca: " + chain.intermediatePem)) {
            assertThat(get(proxy, origin).body()).isEqualTo("trusted");
        }
    }

    /** A chain that is complete, and that nobody trusts, is another matter. */
    @Test
    void aChainToAnUnknownRootIsNotCalledIncomplete() throws Exception {
        try (TestOrigin origin = origin(chain.server("localhost", chain.intermediate, chain.root));
                TestProxy proxy = proxy()) {
            assertThat(get(proxy, origin).body())
                    .contains("not issued by a trusted authority")
                    .doesNotContain(INCOMPLETE);
        }
    }

    private TestOrigin asking(String version) {
        return TestOrigin.tls(chain.server("localhost", chain.intermediate), peer -> {
            SSLSocket socket = (SSLSocket) peer.socket();
            socket.setEnabledProtocols(new String[] {version});
            socket.setNeedClientAuth(true);
            while (true) {
                peer.request();
                peer.send(TestOrigin.ok(socket.getSession().getPeerPrincipal().getName()));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anOriginThatWantsACertificateIsCalledSo(String version) throws Exception {
        try (TestOrigin origin = asking(version);
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem)) {
            Wire.Message got = get(proxy, origin);

            assertThat(got.status()).isEqualTo(502);
            assertThat(got.body()).contains("upstream_wants_client_certificate");
            JsonNode record = proxy.record();
            assertThat(record.path("error").asText()).startsWith("upstream_wants_client_certificate: ");
        }
    }

    /** An origin may ask, and be content without. */
    @Test
    void anOriginThatOnlyAsksIsServed() throws Exception {
        TestOrigin.Script script = peer -> {
            ((SSLSocket) peer.socket()).setWantClientAuth(true);
            peer.request();
            peer.send(TestOrigin.ok("content"));
            peer.readToEnd();
        };
        try (TestOrigin origin = TestOrigin.tls(chain.server("localhost", chain.intermediate), script);
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem)) {
            assertThat(get(proxy, origin).body()).isEqualTo("content");
        }
    }
}
