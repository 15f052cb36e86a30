package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import io.grpc.TlsServerCredentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {

    @TempDir
    Path folder;

    private Certificates authority;
    private Certificates.Issued server;

    @BeforeEach
    void issue() throws Exception {
        authority = new Certificates(folder);
        server = authority.issue("server", "EC");
    }

    private PolicyServer tls() throws Exception {
        return PolicyServer.start(TlsServerCredentials.newBuilder()
                .keyManager(server.cert().toFile(), server.key().toFile())
                .build());
    }

    private PolicyServer mutual() throws Exception {
        return PolicyServer.start(TlsServerCredentials.newBuilder()
                .keyManager(server.cert().toFile(), server.key().toFile())
                .trustManager(authority.authority().toFile())
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build());
    }

    private String trusting(String more) throws Exception {
        return ", tls: {enabled: true, ca_cert: \"" + authority.authority() + "\"" + more + "}";
    }

    private static String showing(Certificates.Issued client) {
        return ", cert: \"" + client.cert() + "\", key: \"" + client.key() + "\"";
    }

    @Test
    void tlsToAServerOfAnAuthorityThatIsNamed() throws Exception {
        try (PolicyServer policy = tls();
                Gate gate = Gate.start(folder, Gate.ask(policy, trusting("")))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            assertThat(policy.requests()).hasSize(1);
        }
    }

    @Test
    void aServerOfAnotherAuthorityIsNotTrusted() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        try (PolicyServer policy = tls();
                Gate gate = Gate.start(
                        folder,
                        Gate.ask(
                                policy,
                                ", tls: {enabled: true, ca_cert: \"" + new Certificates(other).authority() + "\"}"))) {
            refuses(gate, policy);
        }
    }

    @Test
    void withoutAnAuthorityTheSystemsCount() throws Exception {
        try (PolicyServer policy = tls();
                Gate gate = Gate.start(folder, Gate.ask(policy, ", tls: {enabled: true}"))) {
            refuses(gate, policy);
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTrusted() throws Exception {
        try (PolicyServer policy = tls();
                Gate gate = Gate.start(folder, Gate.ask("house", "localhost:" + policy.port(), trusting("")))) {
            refuses(gate, policy);
        }
    }

    @Test
    void aServerWithoutTlsIsNotSpokenTo() throws Exception {
        try (PolicyServer policy = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(policy, trusting("")))) {
            refuses(gate, policy);
        }
    }

    @Test
    void aServerWithTlsIsNotSpokenToInPlaintext() throws Exception {
        try (PolicyServer policy = tls();
                Gate gate = Gate.start(folder, Gate.ask(policy, ", timeout: 1s"))) {
            refuses(gate, policy);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA"})
    @Tag("long")
    void mutualTlsShowsTheCertificate(String algorithm) throws Exception {
        Certificates.Issued client = authority.issue("client", algorithm);
        try (PolicyServer policy = mutual();
                Gate gate = Gate.start(folder, Gate.ask(policy, trusting(showing(client))))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            assertThat(policy.requests()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA"})
    @Tag("long")
    void keysInOldFormsAreRead(String algorithm) throws Exception {
        Certificates.Issued client = authority.issueOld("client", algorithm);
        assertThat(Files.readString(client.key())).contains("BEGIN " + algorithm + " PRIVATE KEY");
        try (PolicyServer policy = mutual();
                Gate gate = Gate.start(folder, Gate.ask(policy, trusting(showing(client))))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withoutACertificateMutualTlsIsRefused() throws Exception {
        try (PolicyServer policy = mutual();
                Gate gate = Gate.start(folder, Gate.ask(policy, trusting("")))) {
            refuses(gate, policy);
        }
    }

    private static void refuses(Gate gate, PolicyServer policy) throws Exception {
        assertThat(gate.get("/").statusCode()).isEqualTo(503);
        assertThat(policy.requests()).isEmpty();
        assertThat(gate.forwarded()).isEmpty();
    }

    @Test
    void aKeyOfAnotherKindIsReadToo() throws Exception {
        Certificates.Issued client = authority.issue("client", "Ed25519");
        try (Gate gate = Gate.start(folder, Gate.ask("house", "127.0.0.1:9000", trusting(showing(client))))) {
            assertThat(gate.warnings()).isEmpty();
        }
    }

    @Test
    void filesThatCannotBeUsedAreToldAtTheStart() throws Exception {
        Certificates.Issued client = authority.issue("client", "EC");
        Path text = Files.writeString(folder.resolve("text"), "no PEM");
        Path encrypted = Files.writeString(
                folder.resolve("encrypted"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        Path broken = Files.writeString(
                folder.resolve("broken"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

        refused(", tls: {enabled: true, ca_cert: none}", "/tls/ca_cert: " + folder + "/none: no such file");
        refused(", tls: {enabled: true, ca_cert: \"" + text + "\"}", "/tls/ca_cert: " + text + ": not PEM");
        refused(
                ", tls: {enabled: true, ca_cert: \"" + client.key() + "\"}",
                "/tls/ca_cert: " + client.key() + ": it has no certificate");
        refused(
                trusting(showing(new Certificates.Issued(client.cert(), server.key()))),
                "/tls/key: " + server.key() + ": does not match the certificate in " + client.cert());
        refused(
                trusting(showing(new Certificates.Issued(client.cert(), client.cert()))),
                "/tls/key: " + client.cert() + ": it has no private key");
        refused(
                trusting(showing(new Certificates.Issued(client.cert(), encrypted))),
                "/tls/key: " + encrypted + ": the private key is encrypted");
        refused(
                trusting(showing(new Certificates.Issued(client.cert(), broken))),
                "/tls/key: " + broken + ": the private key cannot be read");
    }

    /** Paths are relative to the configuration, as all others are. */
    @Test
    void filesThatAreMissingAreToldByTheCheck() throws Exception {
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        Files.writeString(folder.resolve("there.pem"), "");
        Path config = Files.writeString(folder.resolve("check.yaml"), """
                dns: {proxy_ip: 127.0.0.1}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms:
                  - {name: grpc, config: {name: house, target: "localhost:1", tls: {enabled: true, ca_cert: none.pem, cert: there.pem, key: no.key}}}
                """);

        ConfigResult result = EgressProxy.check(
                ConfigLoader.load(config, Map.of(), PluginCatalog.of(List.of(new GrpcFactory()), List.of())));

        assertThat(result.problems())
                .extracting(problem -> problem.pointer() + ": " + problem.message())
                .containsExactlyInAnyOrder(
                        "/transforms/0/config/tls/ca_cert: " + folder.resolve("none.pem") + ": no such file",
                        "/transforms/0/config/tls/key: " + folder.resolve("no.key") + ": no such file");
    }

    private void refused(String tls, String problem) {
        assertThatThrownBy(() -> Gate.start(folder, Gate.ask("house", "127.0.0.1:9000", tls)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/transforms/0/config" + problem);
    }
}
