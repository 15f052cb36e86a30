package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestChain;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
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
    private final TestSecrets secrets = new TestSecrets();

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder);
        chain = new TestChain(folder);
    }

    private TestProxy proxy(String... lines) throws Exception {
        return builder(lines).start();
    }

    private TestProxy.Builder builder(String... lines) {
        String[] all = new String[lines.length + 2];
        all[0] = "ca_cert: " + certificates.caCert;
        all[1] = "ca_key: " + certificates.caKey;
        System.arraycopy(lines, 0, all, 2, lines.length);
        return TestProxy.builder(folder)
                .certificates(certificates)
                .tlsLines(all)
                .catalog(Tenants.catalog(secrets));
    }

    private static String shown(TestChain.Issued identity, String rule) {
        return "client_certificates: [{rules: [{" + rule + "}], cert: " + identity.certificatePem()
                + ", key: {type: test, name: KEY}}]";
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

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anOriginThatWantsACertificateIsShownTheOneForIt(String version) throws Exception {
        TestChain.Issued identity = chain.issue("client.test");
        Files.write(identity.certificatePem(), Files.readAllBytes(chain.intermediatePem), StandardOpenOption.APPEND);
        secrets.set("KEY", Files.readString(identity.keyPem()));
        try (TestOrigin origin = asking(version);
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem, shown(identity, "host: localhost"))) {
            assertThat(get(proxy, origin).body()).isEqualTo("CN=client.test");
            assertThat(get(proxy, origin).body()).as("on the same connection").isEqualTo("CN=client.test");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"host: other.test", "host: localhost, ports: [1]", "cidr: 127.0.0.1/32"})
    void itIsShownToNoOther(String rule) throws Exception {
        TestChain.Issued identity = chain.issue("client.test");
        secrets.set("KEY", Files.readString(identity.keyPem()));
        try (TestOrigin origin = asking("TLSv1.3");
                TestProxy proxy = proxy("upstream_ca: " + chain.rootPem, shown(identity, rule))) {
            assertThat(get(proxy, origin).body()).contains("upstream_wants_client_certificate");
        }
    }

    @Test
    void aKeyThatDoesNotBelongToItsCertificateIsRefusedAtTheStart() throws Exception {
        TestChain.Issued identity = chain.issue("client.test");
        secrets.set("KEY", Files.readString(chain.issue("other.test").keyPem()));

        assertThatThrownBy(() -> proxy("upstream_ca: " + chain.rootPem, shown(identity, "host: localhost")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/tls/client_certificates/0/cert")
                .hasMessageContaining("the key does not belong to the certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host: localhost, methods: [GET]", "host: localhost, paths: [/x]"})
    void aRuleCannotChooseByWhatComesLater(String rule) throws Exception {
        TestChain.Issued identity = chain.issue("client.test");
        secrets.set("KEY", Files.readString(identity.keyPem()));

        assertThatThrownBy(() -> proxy("upstream_ca: " + chain.rootPem, shown(identity, rule)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("a certificate is shown before there is a request");
    }

    @Test
    void aReloadKeepsConnectionsAsLongAsTheCertificateStays() throws Exception {
        TestChain.Issued first = chain.issue("first.test");
        TestChain.Issued second = chain.issue("second.test");
        for (TestChain.Issued one : List.of(first, second)) {
            Files.write(one.certificatePem(), Files.readAllBytes(chain.intermediatePem), StandardOpenOption.APPEND);
        }
        secrets.set("KEY", Files.readString(first.keyPem()));
        Path file = folder.resolve("sallyport.yaml");
        Files.writeString(
                file,
                builder("upstream_ca: " + chain.rootPem, shown(first, "host: localhost"))
                        .yaml());
        try (TestOrigin origin = asking("TLSv1.3");
                TestProxy proxy = builder().loops(1).start(file)) {
            assertThat(get(proxy, origin).body()).isEqualTo("CN=first.test");
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(get(proxy, origin).body()).isEqualTo("CN=first.test");
            assertThat(origin.connections()).isEqualTo(1);

            secrets.set("SECOND", Files.readString(second.keyPem()));
            Files.writeString(
                    file,
                    builder("upstream_ca: " + chain.rootPem, shown(second, "host: localhost"))
                            .yaml()
                            .replace("name: KEY", "name: SECOND"));
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(get(proxy, origin).body()).isEqualTo("CN=second.test");
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
