package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.spi.Visibility;
import dev.sallyport.testsupport.ClientHelloBuilder;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code tls.passthrough}: some hosts of a proxy that intercepts are not; and what cannot work without interception. */
@Timeout(60)
class TlsPassthroughTest {

    @TempDir
    Path folder;

    private TestProxy.Builder passing(TestCertificates made, TestOrigin origin, String globs) {
        return TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: []", "sni_upstream_port: " + origin.port())
                .tlsLines(
                        "ca_cert: " + made.caCert,
                        "ca_key: " + made.caKey,
                        "upstream_ca: " + made.originPem,
                        "passthrough: " + globs);
    }

    private static String issuer(SSLContext trust, Wire wire, String name) throws Exception {
        try (SSLSocket tls = TestProxy.secure(trust, wire.socket(), name)) {
            return ((java.security.cert.X509Certificate) tls.getSession().getPeerCertificates()[0])
                    .getIssuerX500Principal()
                    .getName();
        }
    }

    @Test
    void hostsThatMatchArePassedThroughAndOthersIntercepted() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy =
                        passing(made, origin, "[\"*.example.com\", localhost]").start()) {
            assertThat(issuer(made.direct, proxy.rawHttps(), "localhost")).isEqualTo("CN=origin");
            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("mode").asText()).isEqualTo("sni-only");
            assertThat(audit.get("upstream_addr").asText()).isEqualTo("127.0.0.1:" + origin.port());

            assertThat(issuer(made.client, proxy.rawHttps(), "other.test")).isEqualTo("CN=Test CA");
        }
    }

    @Test
    void insideATunnelToo() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = passing(made, origin, "[localhost]").start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            tunnel.readHead();
            assertThat(issuer(made.direct, tunnel, "localhost")).isEqualTo("CN=origin");
            assertThat(proxy.record().get("audit").get("mode").asText()).isEqualTo("sni-only");
        }
    }

    @Test
    void clientsThatNameNobodyAreIntercepted() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = passing(made, origin, "[\"*\"]").start();
                Wire client = proxy.rawHttps();
                SSLSocket tls = (SSLSocket)
                        made.client.getSocketFactory().createSocket(client.socket(), "127.0.0.1", 1, true)) {
            tls.startHandshake();
            assertThat(tls.getSession().getPeerPrincipal().getName()).contains("127.0.0.1");
        }
    }

    @Test
    void policyJudgesThemByHost() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = passing(made, origin, "[localhost]")
                        .transform("gate", request -> Decision.reject(403, "no", "No."))
                        .start()) {
            assertThatThrownBy(() -> issuer(made.direct, proxy.rawHttps(), "localhost"))
                    .hasMessageContaining("access_denied");
            assertThat(proxy.record().get("audit").get("mode").asText()).isEqualTo("sni-only");
        }
    }

    @Test
    void aReloadChangesThem() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        Path file = folder.resolve("reload.yaml");
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")))) {
            Files.writeString(file, passing(made, origin, "[]").yaml());
            try (TestProxy proxy = TestProxy.builder(folder).start(file)) {
                assertThat(issuer(made.client, proxy.rawHttps(), "localhost")).isEqualTo("CN=Test CA");

                Files.writeString(file, passing(made, origin, "[localhost]").yaml());
                assertThat(proxy.proxy().reload())
                        .isInstanceOfSatisfying(
                                ReloadResult.Reloaded.class,
                                reloaded ->
                                        assertThat(reloaded.restartRequired()).isEmpty());

                assertThat(issuer(made.direct, proxy.rawHttps(), "localhost")).isEqualTo("CN=origin");
            }
        }
    }

    @Test
    void aReloadDoesNotChangeTheMode() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        Path file = folder.resolve("reload.yaml");
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("hello")))) {
            String mitm = passing(made, origin, "[]").yaml();
            String sniOnly = TestProxy.builder(folder).sniOnly(origin.port()).yaml();
            Files.writeString(file, mitm);
            try (TestProxy proxy = TestProxy.builder(folder).start(file)) {
                Files.writeString(file, sniOnly);
                assertThat(restartRequired(proxy)).containsExactly("/tls/mode");
                assertThat(issuer(made.client, proxy.rawHttps(), "localhost")).isEqualTo("CN=Test CA");
            }
            try (TestProxy proxy = TestProxy.builder(folder).start(file)) {
                Files.writeString(file, mitm);
                assertThat(restartRequired(proxy)).containsExactly("/tls/mode");
                assertThat(issuer(made.direct, proxy.rawHttps(), "localhost")).isEqualTo("CN=origin");
            }
        }
    }

    private static List<String> restartRequired(TestProxy proxy) {
        return ((ReloadResult.Reloaded) proxy.proxy().reload()).restartRequired();
    }

    // What needs to see requests.

    /** Configuration of a signer. */
    record Signer(@JsonProperty(defaultValue = "*") String host) {}

    /** Cannot work on a host alone. */
    static final class SignerFactory implements TransformFactory<Signer> {

        @Override
        public Descriptor<Signer> descriptor() {
            return Descriptor.of("signer", Signer.class, "Signs.");
        }

        @Override
        public Capabilities capabilities(Signer config) {
            return Capabilities.builder()
                    .effects(Effect.SIGNS)
                    .scope(List.of(Rule.host(config.host())))
                    .needsFullVisibility()
                    .build();
        }

        @Override
        public Transform create(Signer config, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private static final String SIGNER = "transforms:\n  - name: signer\n    config: {host: localhost}\n";

    @Test
    void aTransformThatNeedsRequestsCannotBeInASniOnlyConfiguration() {
        EgressProxy proxy = TestProxy.builder(folder)
                .catalog(PluginCatalog.of(List.of(new SignerFactory()), List.of()))
                .sniOnly(443)
                .sections(SIGNER)
                .build();
        try (proxy) {
            assertThatThrownBy(proxy::start)
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining(
                            "test.yaml:16:13: /transforms/0/config: signer cannot work in tls.mode sni-only")
                    .hasMessageContaining("expected: tls.mode: mitm");
        }
    }

    @Test
    void itIsLeftOutForHostsThatArePassedThrough() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        AtomicInteger asked = new AtomicInteger();
        byte[] hello = ClientHelloBuilder.naming("localhost").bytes();
        Capabilities needs = Capabilities.builder().needsFullVisibility().build();
        try (TestOrigin origin = TestOrigin.of(peer -> peer.in().readNBytes(hello.length));
                TestProxy proxy = passing(made, origin, "[localhost]")
                        .transform("signer", needs, (InlineTransform) request -> {
                            asked.incrementAndGet();
                            assertThat(request.visibility()).isEqualTo(Visibility.FULL);
                            return Decision.proceed();
                        })
                        .start();
                Wire client = proxy.rawHttps()) {
            assertThat(proxy.proxy().warnings()).anyMatch(line -> line.contains("signer is left out for hosts"));

            client.send(hello).readToEnd();
            client.close();

            JsonNode trace = proxy.record().get("request_transforms").get(0);
            assertThat(trace.get("annotations").get("skipped").asText()).isEqualTo("host_only");
            assertThat(asked).hasValue(0);
        }
    }

    @Test
    void otherTransformsGiveNoWarning() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.of(peer -> {});
                TestProxy proxy = passing(made, origin, "[pinned.example]")
                        .catalog(PluginCatalog.of(List.of(new SignerFactory()), List.of()))
                        .sections(SIGNER)
                        .start()) {
            assertThat(proxy.proxy().warnings()).isEmpty();
        }
    }

    @Test
    void theProxysOwnNameIsNeverDialled() throws Exception {
        TestCertificates made = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(made.origin, TestOrigin.always(TestOrigin.ok("x")));
                TestProxy proxy = passing(made, origin, "['*']").start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("sallyport.internal").bytes());
            client.readToEnd();

            assertThat(proxy.record().get("error").asText()).startsWith("local_site");
            assertThat(origin.connections()).isZero();
        }
    }
}
