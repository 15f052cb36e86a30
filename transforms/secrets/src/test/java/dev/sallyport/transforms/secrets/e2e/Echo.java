package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A proxy that has a credential for {@code localhost}, and an origin that does what a test says. */
final class Echo implements AutoCloseable {

    static final String PLACEHOLDER = "PLACEHOLDER";

    /** Everything in it is written in another way somewhere. */
    static final String REAL = "r34l/cr3d+of \"the\\operator\"<&>'=%41";

    private final TestOrigin origin;
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final EgressProxy proxy;
    private boolean closed;

    /** @param script what the origin does on one connection */
    Echo(Path folder, String real, TestOrigin.Script script) throws Exception {
        this.origin = TestOrigin.of(script);
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        this.proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: disabled, upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - name: secrets
                            config:
                              secrets:
                                - source: {type: fake, name: TOKEN}
                                  replace: {proxy_value: %s, match_body: true}
                        """.formatted(cert, key, PLACEHOLDER))
                .catalog(PluginCatalog.of(List.of(new SecretsFactory()), List.of(new FakeSecrets().set("TOKEN", real))))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
    }

    String authority() {
        return "localhost:" + origin.port();
    }

    /** A connection to the proxy. */
    Wire client() throws IOException {
        return Wire.to(proxy.httpAddress());
    }

    /** Says this, with {@code Host} and the placeholder in a header, and hears everything up to the end. */
    String ask(String requestLine, String... fields) throws IOException {
        try (Wire client = client()) {
            return client.send(request(requestLine, fields)).readToEnd();
        }
    }

    /** A request that has the placeholder in a header, and ends the connection. */
    String request(String requestLine, String... fields) {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return requestLine + " HTTP/1.1\r\nHost: " + authority() + "\r\nAuthorization: Bearer " + PLACEHOLDER
                + "\r\nConnection: close\r\n" + more + "\r\n";
    }

    /** Everything that was written for the operator; complete after {@link #close}. */
    String audited() {
        return audit.toString(StandardCharsets.UTF_8);
    }

    /** Idempotent; fails when the script has failed. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            proxy.close();
            origin.close();
        }
    }
}
