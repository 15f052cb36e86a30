package dev.sallyport.transforms.grpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.CredentialInjector;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.Upstream;
import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A whole proxy with transform servers, an origin with TLS behind it, and a client in front of it. */
final class Gate implements AutoCloseable {

    static final JsonMapper JSON = JsonMapper.builder().build();

    private final TestUpstream origin;
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final Path config;
    private final String mode;
    private final EgressProxy proxy;
    private final HttpClient client;

    private Gate(
            Path folder, Upstream script, HttpClient.Version version, String mode, String limits, String... entries)
            throws Exception {
        this.origin = TestUpstream.https(script);
        this.mode = mode;
        Path cert = folder.resolve("ca.pem");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, folder.resolve("ca.key"));
        Files.writeString(folder.resolve("upstream.pem"), origin.certificatePem());
        this.config = folder.resolve("proxy.yaml");
        configure(limits, entries);
        this.proxy = EgressProxy.builder()
                .config(config)
                .environment(Map.of())
                .catalog(PluginCatalog.of(List.of(new GrpcFactory(), new CredentialInjector()), List.of()))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        this.client = HttpClient.newBuilder()
                .version(version)
                .sslContext(trusting(mode.isEmpty() ? Files.readString(cert) : origin.certificatePem()))
                .proxy(ProxySelector.of(Objects.requireNonNull(proxy.tunnelAddress())))
                .build();
    }

    static Gate start(Path folder, String... entries) throws Exception {
        return start(folder, HttpClient.Version.HTTP_1_1, entries);
    }

    static Gate start(Path folder, HttpClient.Version version, String... entries) throws Exception {
        return start(folder, version, request -> TestResponse.ok("from the origin"), entries);
    }

    static Gate start(Path folder, HttpClient.Version version, Upstream script, String... entries) throws Exception {
        return new Gate(folder, script, version, "", "", entries);
    }

    /** With more in section {@code proxy}, beginning with a comma. */
    static Gate limited(Path folder, String limits, Upstream script, String... entries) throws Exception {
        return new Gate(folder, script, HttpClient.Version.HTTP_1_1, "", limits, entries);
    }

    /** One that passes TLS through. */
    static Gate passing(Path folder, String... entries) throws Exception {
        return new Gate(
                folder,
                request -> TestResponse.ok("from the origin"),
                HttpClient.Version.HTTP_1_1,
                ", mode: sni-only",
                "",
                entries);
    }

    /** An entry that asks this server; {@code more} begins with a comma. */
    static String ask(PolicyServer server, String more) {
        return ask("house", server.target(), more);
    }

    static String ask(String name, String target, String more) {
        return "{name: grpc, config: {name: " + name + ", target: \"" + target + "\"" + more + "}}";
    }

    private void configure(String limits, String... entries) throws IOException {
        Files.writeString(config, """
                dns: {enabled: false}
                proxy:
                  {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped%s}
                tls: {ca_cert: ca.pem, ca_key: ca.key, upstream_ca: upstream.pem%s}
                metrics: {listen: disabled}
                transforms: [%s]
                """.formatted(limits, mode, String.join(", ", entries)));
    }

    /** Puts other entries in force. */
    ReloadResult reload(String... entries) throws IOException {
        configure("", entries);
        return proxy.reload();
    }

    /** The same behind a parent proxy. */
    ReloadResult reloadBehind(String parent, String... entries) throws IOException {
        configure(", upstream_proxy: {http_proxy: \"" + parent + "\"}", entries);
        return proxy.reload();
    }

    private static SSLContext trusting(String pem) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create(origin.url() + target)).timeout(Duration.ofSeconds(30));
    }

    HttpResponse<String> get(String target) throws Exception {
        return send(request(target).build());
    }

    HttpResponse<String> post(String target, String body) throws Exception {
        return send(request(target)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpClient client() {
        return client;
    }

    /** A connection of which a test writes every byte. */
    Socket connect() throws IOException {
        InetSocketAddress address = Objects.requireNonNull(proxy.httpAddress());
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(Patience.MILLIS);
        return socket;
    }

    int originPort() {
        return URI.create(origin.url()).getPort();
    }

    long calls(String direction, String outcome) {
        return proxy.count("grpc.calls", "house", direction, outcome);
    }

    List<String> warnings() {
        return proxy.warnings();
    }

    /** What the origin got. */
    List<ForwardedRequest> forwarded() {
        return origin.requests();
    }

    /** The one request that the origin got. */
    ForwardedRequest sent() {
        if (origin.requests().size() != 1) {
            throw new AssertionError("the origin has got " + origin.requests());
        }
        return origin.requests().getFirst();
    }

    /** Ends the proxy, and returns its audit records, those of tunnels left out. */
    List<JsonNode> records() {
        proxy.close();
        return audit.toString(StandardCharsets.UTF_8)
                .lines()
                .map(Gate::json)
                .filter(line -> !line.path("audit").path("method").asText().equals("CONNECT"))
                .toList();
    }

    private static JsonNode json(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        proxy.close();
        client.close();
        origin.close();
    }
}
