package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/spec/decisions.md, section 2a, towards clients: real sockets, both providers. */
class ServerTlsTest {

    private static final LeafCache.Settings SETTINGS = new LeafCache.Settings(100, Duration.ofHours(1));
    private static final String TLS_1_2 = "TLSv1.2";
    private static final String TLS_1_3 = "TLSv1.3";

    static Stream<Arguments> everything() {
        return Stream.of(TlsProvider.values())
                .flatMap(provider -> Stream.of(TestAuthority.Kind.values())
                        .flatMap(kind ->
                                Stream.of(TLS_1_2, TLS_1_3).map(version -> Arguments.of(provider, kind, version))));
    }

    static Stream<Arguments> providersAndVersions() {
        return Stream.of(TlsProvider.values())
                .flatMap(provider -> Stream.of(TLS_1_2, TLS_1_3).map(version -> Arguments.of(provider, version)));
    }

    @Test
    void boringSslIsThereWhereTheBuildRuns() {
        assertThat(TlsProvider.best()).isEqualTo(TlsProvider.OPENSSL);
    }

    @ParameterizedTest
    @MethodSource("everything")
    void clientThatTrustsTheAuthorityAcceptsTheLeafOfItsName(
            TlsProvider provider, TestAuthority.Kind kind, String version) throws Exception {
        CertificateAuthority authority = TestAuthority.of(kind);
        JavaClient client = new JavaClient(authority.certificate());
        try (LeafServer server = new LeafServer(
                provider, List.of("http/1.1"), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {

            JavaClient.Outcome outcome = client.connect(server.port(), "api.example.com", version, "h2", "http/1.1");

            assertThat(outcome.session().getProtocol()).isEqualTo(version);
            assertThat(outcome.applicationProtocol()).isEqualTo("http/1.1");
            assertThat(outcome.certificate().getSubjectX500Principal().getName())
                    .isEqualTo("CN=api.example.com");
            assertThat(outcome.session().getPeerCertificates()).hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("providersAndVersions")
    void oneContextServesEveryNameItsOwnLeaf(TlsProvider provider, String version) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        JavaClient client = new JavaClient(authority.certificate());
        try (LeafServer server =
                new LeafServer(provider, List.of(), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {
            for (int i = 0; i < 10; i++) {
                String host = "h" + i + ".example.com";

                JavaClient.Outcome outcome = client.connect(server.port(), host, version);

                assertThat(outcome.certificate().getSubjectX500Principal().getName())
                        .isEqualTo("CN=" + host);
            }
            assertThat(server.names).hasSize(10);
        }
    }

    @ParameterizedTest
    @MethodSource("providersAndVersions")
    void clientWithoutSniGetsTheLeafOfTheAddress(TlsProvider provider, String version) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        LeafCache leaves = new LeafCache(authority, SETTINGS, Runnable::run);
        try (LeafServer server = new LeafServer(provider, List.of(), name -> leaves.leaf("127.0.0.1"))) {

            JavaClient.Outcome outcome =
                    new JavaClient(authority.certificate()).connect(server.port(), "127.0.0.1", version);

            assertThat(server.names).containsExactly("");
            assertThat(outcome.certificate().getSubjectAlternativeNames()).containsExactly(List.of(7, "127.0.0.1"));
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void leafThatHasLeftTheCacheIsStillShown(TlsProvider provider) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        // Of each leaf only the handler itself knows.
        LeafFactory factory = new LeafFactory(authority, SETTINGS, java.time.Clock.systemUTC());
        JavaClient client = new JavaClient(authority.certificate());
        try (LeafServer server =
                new LeafServer(provider, List.of(), name -> CompletableFuture.completedFuture(factory.mint(name)))) {
            for (int i = 0; i < 5; i++) {
                System.gc();
                assertThat(client.connect(server.port(), "a.example.com", TLS_1_3)
                                .certificate())
                        .isNotNull();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("providersAndVersions")
    void sessionsResumeAndTheNameStillComesFromTheHello(TlsProvider provider, String version) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        JavaClient client = new JavaClient(authority.certificate());
        try (LeafServer server =
                new LeafServer(provider, List.of(), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {
            JavaClient.Outcome first = client.connect(server.port(), "a.example.com", version);
            long made = first.session().getCreationTime();
            Awaitility.await().until(() -> System.currentTimeMillis() > made);

            JavaClient.Outcome second = client.connect(server.port(), "a.example.com", version);
            JavaClient.Outcome stranger =
                    new JavaClient(authority.certificate()).connect(server.port(), "a.example.com", version);

            assertThat(second.session().getCreationTime()).isEqualTo(made);
            assertThat(stranger.session().getCreationTime()).isGreaterThan(made);
            assertThat(server.names).containsExactly("a.example.com", "a.example.com", "a.example.com");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void withoutACommonProtocolThereIsNone(TlsProvider provider) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        try (LeafServer server = new LeafServer(
                provider, List.of("http/1.1"), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {

            JavaClient.Outcome outcome =
                    new JavaClient(authority.certificate()).connect(server.port(), "a.example.com", TLS_1_3);

            assertThat(outcome.applicationProtocol()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void oldVersionsAreRefused(TlsProvider provider) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        try (LeafServer server =
                new LeafServer(provider, List.of(), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {
            assertThatThrownBy(() ->
                            new JavaClient(authority.certificate()).connect(server.port(), "a.example.com", "TLSv1.1"))
                    .isInstanceOf(SSLException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void clientThatDoesNotTrustTheAuthorityIsNamedAsTheCause(TlsProvider provider) throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        CertificateAuthority other = TestAuthority.of(TestAuthority.Kind.EC_P384);
        try (LeafServer server =
                new LeafServer(provider, List.of(), new LeafCache(authority, SETTINGS, Runnable::run)::leaf)) {
            assertThatThrownBy(
                            () -> new JavaClient(other.certificate()).connect(server.port(), "a.example.com", TLS_1_2))
                    .isInstanceOf(SSLException.class);

            Awaitility.await().until(() -> !server.failures.isEmpty());
            assertThat(TlsFailure.describe(server.failures.remove()))
                    .isEqualTo("the peer refused the certificate (alert certificate_unknown)");
        }
    }
}
