package dev.sallyport.transforms.svcacctauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.api.client.http.GenericUrl;
import com.google.api.client.http.HttpTransport;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.auth.http.HttpCredentialsAdapter;
import com.google.auth.oauth2.ComputeEngineCredentials;
import com.google.auth.oauth2.GoogleCredentials;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Google's own libraries behind a whole proxy, which they know as proxy and CA and not otherwise: an API that takes the
 * minted token alone, a token endpoint that verifies assertions with the operator's key.
 */
class GoogleLibrariesTest {

    private static final String BUCKETS = "{\"kind\":\"storage#buckets\"}";

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final AccountServer server = new AccountServer();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final TestUpstream api = TestUpstream.https(this::buckets);

    @TempDir
    Path folder;

    private Path config;
    private Path ca;
    private EgressProxy proxy;

    private TestResponse buckets(ForwardedRequest request) {
        String shown = request.header("Authorization");
        return shown.equals("Bearer " + AccountServer.token(1)) || shown.equals("Bearer " + server.idToken(1))
                ? TestResponse.ok(BUCKETS).header("Content-Type", "application/json")
                : TestResponse.status(401);
    }

    @BeforeEach
    void start() throws Exception {
        config = folder.resolve("proxy.yaml");
        ca = folder.resolve("ca.pem");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(ca, folder.resolve("ca.key"));
        Files.writeString(folder.resolve("upstream.pem"), api.certificatePem());
        configure("localhost");
        proxy = EgressProxy.builder()
                .config(config)
                .catalog(PluginCatalog.of(
                        List.of(new SvcacctAuthFactory(), new GcpIdTokenFactory()),
                        List.of(new FakeSecrets()
                                .set(
                                        "KEY",
                                        KeyFiles.REAL
                                                .json(issuer.url() + "/token")
                                                .toString()))))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
    }

    private void configure(String rule) throws IOException {
        transforms("""
                  - name: svcacct_auth
                    config:
                      keyfile: {type: fake, name: KEY}
                      scopes: ["https://www.googleapis.com/auth/devstorage.read_only"]
                      rules: [{host: "%s"}]
                """.formatted(rule));
    }

    private void transforms(String entries) throws IOException {
        Files.writeString(config, """
                dns: {enabled: false}
                proxy:
                  http_listen: disabled
                  https_listen: disabled
                  tunnel_listen: "127.0.0.1:0"
                  upstream_deny_cidrs: ["169.254.169.254/32"]
                  redact_responses: swapped
                tls: {ca_cert: ca.pem, ca_key: ca.key, upstream_ca: upstream.pem}
                metrics: {listen: disabled}
                transforms:
                %s
                """.formatted(entries));
    }

    @AfterEach
    void stop() {
        proxy.close();
        api.close();
        issuer.close();
        assertThat(audit.toString(StandardCharsets.UTF_8))
                .doesNotContain("minted-token")
                .doesNotContain("PRIVATE KEY");
    }

    /** What a client is told: the proxy and its CA. */
    private HttpTransport transport() throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream pem = Files.newInputStream(ca)) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        return new NetHttpTransport.Builder()
                .setProxy(new Proxy(Proxy.Type.HTTP, Objects.requireNonNull(proxy.tunnelAddress())))
                .trustCertificates(trusted)
                .build();
    }

    private String list(HttpTransport transport, GoogleCredentials credentials) throws IOException {
        return transport
                .createRequestFactory(new HttpCredentialsAdapter(credentials))
                .buildGetRequest(new GenericUrl(api.url() + "/storage/v1/b?project=test"))
                .execute()
                .parseAsString();
    }

    @Test
    void javaLibraryWithAKeyThatIsWorthNothing() throws Exception {
        HttpTransport transport = transport();
        String worthless =
                KeyFiles.FAKE.json("https://oauth2.googleapis.com/token").toString();
        GoogleCredentials credentials = GoogleCredentials.fromStream(
                        new ByteArrayInputStream(worthless.getBytes(StandardCharsets.UTF_8)), () -> transport)
                .createScoped("https://www.googleapis.com/auth/cloud-platform");

        assertThat(list(transport, credentials)).isEqualTo(BUCKETS);
        assertThat(list(transport, credentials)).isEqualTo(BUCKETS);
        assertThat(credentials.getAccessToken().getTokenValue()).isEqualTo("sallyport-stub-token");
        assertThat(server.asked).hasValue(1);
        assertThat(server.claims.get("scope").getAsString())
                .isEqualTo("https://www.googleapis.com/auth/devstorage.read_only");
    }

    @Test
    void javaLibraryAsOnAMachineOfTheCloud() throws Exception {
        HttpTransport transport = transport();
        ComputeEngineCredentials credentials = ComputeEngineCredentials.newBuilder()
                .setHttpTransportFactory(() -> transport)
                .build();

        assertThat(list(transport, credentials)).isEqualTo(BUCKETS);
        assertThat(credentials.getAccount()).isEqualTo(KeyFiles.EMAIL);
        assertThat(credentials.getProjectId()).isEqualTo(KeyFiles.PROJECT);
        assertThat(credentials.getUniverseDomain()).isEqualTo("googleapis.com");
    }

    /** The address itself is one that the guard denies; the stub answers before anything is dialled. */
    @Test
    void metadataServerIsAnsweredUnderItsAddress() throws Exception {
        var connection = (HttpURLConnection)
                URI.create("http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/email")
                        .toURL()
                        .openConnection(new Proxy(Proxy.Type.HTTP, Objects.requireNonNull(proxy.tunnelAddress())));
        connection.setRequestProperty("Metadata-Flavor", "Google");
        try (InputStream body = connection.getInputStream()) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(KeyFiles.EMAIL);
        }
    }

    @Test
    void tokenOutlivesReloads() throws Exception {
        HttpTransport transport = transport();
        GoogleCredentials credentials = ComputeEngineCredentials.newBuilder()
                .setHttpTransportFactory(() -> transport)
                .build();
        assertThat(list(transport, credentials)).isEqualTo(BUCKETS);
        configure("*");
        assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
        assertThat(list(transport, credentials)).isEqualTo(BUCKETS);
        assertThat(server.asked).hasValue(1);
    }

    /** Needs Python with google-auth and requests; {@code TEST_PYTHON} names another interpreter. */
    @Test
    void pythonLibrary() throws Exception {
        String python = python();
        Path script = script("client.py");
        Path key = Files.writeString(
                folder.resolve("key.json"),
                KeyFiles.FAKE.json("https://oauth2.googleapis.com/token").toString());
        String address = "http://127.0.0.1:"
                + Objects.requireNonNull(proxy.tunnelAddress()).getPort();

        String printed = run(
                List.of(python, script.toString(), key.toString(), api.url() + "/storage/v1/b"),
                Map.of("HTTPS_PROXY", address, "HTTP_PROXY", address, "REQUESTS_CA_BUNDLE", ca.toString()));

        assertThat(printed)
                .isEqualTo("0 key 200 " + BUCKETS + " sallyport-stub-token\nmetadata 200 " + BUCKETS
                        + " sallyport-stub-token " + KeyFiles.EMAIL + "\n");
    }

    /** What a machine of the cloud gets ID tokens from is a placeholder; the service gets a real one. */
    @Test
    void pythonLibraryAsksTheIdentityEndpoint() throws Exception {
        String python = python();
        transforms("""
                  - name: gcp_id_token
                    config:
                      keyfile: {type: fake, name: KEY}
                      audience: https://service-abc.a.run.app
                      rules: [{host: localhost}]
                """);
        assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
        String address = "http://127.0.0.1:"
                + Objects.requireNonNull(proxy.tunnelAddress()).getPort();

        String printed = run(
                List.of(
                        python,
                        script("identity.py").toString(),
                        "https://service-abc.a.run.app",
                        api.url() + "/storage/v1/b"),
                Map.of("HTTPS_PROXY", address, "HTTP_PROXY", address, "REQUESTS_CA_BUNDLE", ca.toString()));

        assertThat(printed).isEqualTo("0 identity 200 " + BUCKETS + " True False\n");
        assertThat(server.claims.get("target_audience").getAsString()).isEqualTo("https://service-abc.a.run.app");
    }

    private String python() throws Exception {
        String python = System.getenv().getOrDefault("TEST_PYTHON", "python3");
        assumeTrue(
                run(List.of(python, "-c", "import google.auth, requests"), Map.of())
                        .startsWith("0 "),
                "no Python with google-auth and requests (pip install google-auth requests)");
        return python;
    }

    private Path script(String name) throws IOException {
        Path script = folder.resolve(name);
        try (InputStream in = GoogleLibrariesTest.class.getResourceAsStream("/clients/" + name)) {
            Files.copy(Objects.requireNonNull(in), script);
        }
        return script;
    }

    /** Exit code, and what was printed. */
    private String run(List<String> command, Map<String, String> environment) throws Exception {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            try {
                assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            return process.exitValue() + " " + Files.readString(output);
        } catch (IOException e) {
            return "-1 " + e.getMessage();
        }
    }
}
