package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same request, sent by many clients over each version of HTTP: the origin sees the same method, authority, path,
 * body and headers, and the audit records are equal but for protocol and way in.
 */
class ClientMatrixTest {

    private static final String TARGET = "/matrix/a%20b?q=1&r=%2F";
    private static final String BODY = "hello, origin\n";
    private static final Map<String, String> HEADERS = Map.of(
            "Accept", "application/json",
            "Content-Type", "text/plain",
            "Authorization", "Bearer PLACEHOLDER_TOKEN",
            "X-One", "1");

    @TempDir
    Path folder;

    private TestUpstream secure;
    private TestUpstream plain;
    private Gate gate;

    @BeforeEach
    void start() throws Exception {
        secure = TestUpstream.https(request -> TestResponse.ok("from the origin"));
        plain = TestUpstream.http(request -> TestResponse.ok("from the origin"));
        gate = new Gate(folder, secure.certificatePem(), """
                - name: allowlist
                  config:
                    rules:
                      - {host: localhost, methods: [POST], paths: ["/matrix/*"]}
                - name: secrets
                  config:
                    secrets:
                      - source: {type: env, var: TOKEN}
                        replace: {proxy_value: PLACEHOLDER_TOKEN, match_headers: [Authorization]}
                        rules:
                          - {host: localhost}
                """, Map.of("TOKEN", "the-real-token"));
    }

    @AfterEach
    void stop() {
        gate.close();
        secure.close();
        plain.close();
    }

    // curl

    @Test
    void curlWithHttp11ThroughATunnel() throws Exception {
        curl(secure, "--http1.1", "-p", "-x", tunnel());
        expect(secure, "http/1.1");
    }

    @Test
    void curlWithHttp2ThroughATunnel() throws Exception {
        curl(secure, "--http2", "-p", "-x", tunnel());
        expect(secure, "h2");
    }

    @Test
    void curlWithHttp11BySteering() throws Exception {
        curl(secure, "--http1.1", "--connect-to", "::127.0.0.1:" + gate.httpsPort());
        expect(secure, "http/1.1");
    }

    @Test
    void curlWithHttp2BySteering() throws Exception {
        curl(secure, "--http2", "--connect-to", "::127.0.0.1:" + gate.httpsPort());
        expect(secure, "h2");
    }

    @Test
    void curlWithPlainHttp11() throws Exception {
        curl(plain, "--http1.1", "-x", tunnel());
        expect(plain, "http/1.1");
    }

    @Test
    void curlWithHttp2ByPriorKnowledgeThroughATunnel() throws Exception {
        curl(plain, "--http2-prior-knowledge", "-p", "-x", tunnel());
        expect(plain, "h2");
    }

    @Test
    void curlWithHttp2ByPriorKnowledgeBySteering() throws Exception {
        curl(plain, "--http2-prior-knowledge", "--connect-to", "::127.0.0.1:" + gate.httpPort());
        expect(plain, "h2");
    }

    private String tunnel() {
        return "http://127.0.0.1:" + gate.tunnelPort();
    }

    private void curl(TestUpstream origin, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "20", "--cacert", caFile()));
        command.addAll(List.of(options));
        HEADERS.forEach((name, value) -> command.addAll(List.of("-H", name + ": " + value)));
        command.addAll(List.of("--data-binary", BODY, origin.url() + TARGET));
        assertThat(Programs.run(folder, command)).isEqualTo("from the origin");
    }

    private String caFile() {
        return gate.caFile().toString();
    }

    // nghttp

    @Test
    void nghttpBySteering() throws Exception {
        nghttp("https://localhost:" + gate.httpsPort(), secure);
        expect(secure, "h2");
    }

    @Test
    void nghttpByPriorKnowledge() throws Exception {
        nghttp("http://localhost:" + gate.httpPort(), plain);
        expect(plain, "h2");
    }

    private void nghttp(String listener, TestUpstream origin) throws Exception {
        assumeTrue(Programs.work("nghttp", "--version"), "nghttp is not installed");
        Path body = Files.writeString(folder.resolve("body"), BODY);
        List<String> command = new ArrayList<>(List.of("nghttp", "-d", body.toString()));
        command.add("-H:authority: " + URI.create(origin.url()).getAuthority());
        HEADERS.forEach((name, value) -> command.add("-H" + name.toLowerCase(java.util.Locale.ROOT) + ": " + value));
        command.add(listener + TARGET);
        assertThat(Programs.run(folder, command)).contains("from the origin");
    }

    // Python, Node and Go

    @Test
    void python() throws Exception {
        assumeTrue(Programs.work("python3", "--version"), "Python is not installed");
        script("python3", "client.py");
        expect(secure, "http/1.1");
    }

    @Test
    void nodeWithHttp11() throws Exception {
        assumeTrue(Programs.work("node", "--version"), "Node is not installed");
        script("node", "client.mjs", "h1");
        expect(secure, "http/1.1");
    }

    @Test
    void nodeWithHttp2() throws Exception {
        assumeTrue(Programs.work("node", "--version"), "Node is not installed");
        script("node", "client.mjs", "h2");
        expect(secure, "h2");
    }

    @Test
    void goWithHttp11() throws Exception {
        go("h1");
        expect(secure, "http/1.1");
    }

    @Test
    @Tag("long")
    void goWithHttp2() throws Exception {
        go("h2");
        expect(secure, "h2");
    }

    /** Go compiles its own library the first time, which may take minutes: that is over before the client starts. */
    private void go(String version) throws Exception {
        assumeTrue(Programs.work("go", "version"), "Go is not installed");
        copy("client.go");
        Programs.prepare(folder, List.of("go", "build", "-o", "client", "client.go"));
        fetch(List.of(folder.resolve("client").toString()), version);
    }

    private void script(String program, String name, String... last) throws Exception {
        copy(name);
        fetch(List.of(program, name), last);
    }

    private void copy(String name) throws Exception {
        try (var source = getClass().getResourceAsStream("/clients/" + name)) {
            Files.copy(source, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Runs a client: after its name come the three arguments that all of them take, and what is for this one. */
    private void fetch(List<String> client, String... last) throws Exception {
        List<String> line = new ArrayList<>(client);
        line.add(String.valueOf(gate.tunnelPort()));
        line.add(String.valueOf(URI.create(secure.url()).getPort()));
        line.add(caFile());
        line.addAll(List.of(last));
        assertThat(Programs.run(folder, line).strip()).isEqualTo("200 from the origin");
    }

    // Java

    @Test
    void javaWithHttp11() throws Exception {
        java(HttpClient.Version.HTTP_1_1);
        expect(secure, "http/1.1");
    }

    @Test
    void javaWithHttp2() throws Exception {
        java(HttpClient.Version.HTTP_2);
        expect(secure, "h2");
    }

    private void java(HttpClient.Version version) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(secure.url() + TARGET))
                .POST(HttpRequest.BodyPublishers.ofString(BODY));
        HEADERS.forEach(request::header);
        try (HttpClient client = HttpClient.newBuilder()
                .version(version)
                .proxy(ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), gate.tunnelPort())))
                .sslContext(trust())
                .build()) {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("from the origin");
            assertThat(response.version()).isEqualTo(version);
        }
    }

    private SSLContext trust() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var pem = Files.newInputStream(gate.caFile())) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    // What must be the same for all of them.

    private void expect(TestUpstream origin, String protocol) throws Exception {
        // A connection preface that an origin of HTTP/1.1 does not know is no request.
        List<ForwardedRequest> requests = origin.requests().stream()
                .filter(request -> request.method().equals("POST"))
                .toList();
        assertThat(requests).hasSize(1);
        ForwardedRequest seen = requests.getFirst();
        assertThat(seen.method()).isEqualTo("POST");
        assertThat(seen.target()).isEqualTo(TARGET);
        assertThat(seen.body()).isEqualTo(BODY);
        Map<String, String> headers = new TreeMap<>();
        seen.headers().lines().forEach(line -> {
            if (HEADERS.keySet().stream().anyMatch(line.name()::equalsIgnoreCase)
                    || line.name().equalsIgnoreCase("Host")) {
                headers.merge(line.name().toLowerCase(java.util.Locale.ROOT), line.value(), (a, b) -> a + ", " + b);
            }
        });
        assertThat(headers)
                .isEqualTo(Map.of(
                        "host", URI.create(origin.url()).getAuthority(),
                        "accept", "application/json",
                        "content-type", "text/plain",
                        "authorization", "Bearer the-real-token",
                        "x-one", "1"));

        ObjectNode record = gate.record().deepCopy();
        JsonNode audit = record.get("audit");
        assertThat(audit.get("protocol").asText()).isEqualTo(protocol);
        assertThat(audit.get("port").asInt()).isEqualTo(URI.create(origin.url()).getPort());
        assertThat(common(record)).isEqualTo("""
                {"level":"INFO","msg":"request","schema_version":1,\
                "audit":{"host":"localhost","method":"POST","path":"%s",\
                "mode":"mitm","action":"allow","status_code":200,"request_bytes":14,"response_bytes":15},\
                "request_transforms":[{"name":"allowlist","action":"allow"},{"name":"secrets","action":"allow",\
                "annotations":{"swapped":[{"secret":"TOKEN","locations":["header:Authorization"]}]}}],\
                "response_transforms":[]}""".formatted(TARGET));
    }

    /** The record without what differs from exchange to exchange and from client to client. */
    private static String common(ObjectNode record) {
        record.remove(List.of("time", "exchange_id", "tunnel"));
        ((ObjectNode) record.get("audit"))
                .remove(List.of("remote_addr", "port", "protocol", "sni", "upstream_addr", "duration_ms", "workload"));
        for (String direction : List.of("request_transforms", "response_transforms")) {
            record.get(direction).forEach(step -> ((ObjectNode) step).remove("duration_ms"));
        }
        return record.toString();
    }
}
