package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A proxy that has a credential for some requests to one origin, which answers to every name under {@code localhost}. */
final class Gate implements AutoCloseable {

    static final String REAL = "r34l-credential-of-the-operator";

    private static final int PATIENCE_MILLIS = Patience.MILLIS;

    private final TestUpstream upstream = TestUpstream.http(request -> TestResponse.ok("done"));
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final EgressProxy proxy;
    private boolean closed;

    /** @param rule where the credential belongs, as YAML */
    Gate(Path folder, String rule) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - name: secrets
                            config:
                              secrets:
                                - source: {type: fake, name: TOKEN}
                                  replace: {proxy_value: PLACEHOLDER, match_body: true, match_query: true, match_path: true}
                                  rules: [%s]
                                - source: {type: fake, name: TOKEN}
                                  inject: {header: X-Key}
                                  rules: [%s]
                        """.formatted(cert, key, rule, rule))
                .catalog(PluginCatalog.of(List.of(new SecretsFactory()), List.of(new FakeSecrets().set("TOKEN", REAL))))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
    }

    int port() {
        return URI.create(upstream.url()).getPort();
    }

    /** Says this on {@code http_listen} and hears everything up to the end. */
    String http(String latin1) throws IOException {
        return say(proxy.httpAddress(), latin1);
    }

    /** As {@link #http}, on {@code tunnel_listen}. */
    String tunnel(String latin1) throws IOException {
        return say(proxy.tunnelAddress(), latin1);
    }

    private static String say(InetSocketAddress to, String latin1) throws IOException {
        try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(latin1.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** The requests that got a credential, each as a text of all that it carries. */
    List<String> credentialed() {
        return upstream.requests().stream()
                .filter(request -> text(request).contains(REAL))
                .map(Gate::text)
                .toList();
    }

    int arrived() {
        return upstream.requests().size();
    }

    private static String text(ForwardedRequest request) {
        return request.target() + "\n" + request.headers().lines() + "\n" + request.body();
    }

    /** Everything that was written for the operator; complete after {@link #close}. */
    String audited() {
        return audit.toString(StandardCharsets.UTF_8);
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            proxy.close();
            upstream.close();
        }
    }
}
