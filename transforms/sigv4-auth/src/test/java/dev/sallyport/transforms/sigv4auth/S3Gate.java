package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.TestUpstream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A real proxy before an S3 that verifies: all that a client has to be told are the proxy's address and its authority. */
final class S3Gate implements AutoCloseable {

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final S3Server server = new S3Server();
    private final TestUpstream upstream;
    private final EgressProxy proxy;
    private final Path authority;

    /** As for an object store whose host tells nothing. */
    S3Gate(Path folder, boolean secure) throws Exception {
        this(folder, secure, "off");
    }

    /** @param redact in which responses credentials are taken out */
    S3Gate(Path folder, boolean secure, String redact) throws Exception {
        upstream = secure ? TestUpstream.https(server::answer) : TestUpstream.http(server::answer);
        authority = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(authority, key);
        Path trusted = Files.writeString(folder.resolve("upstream.pem"), upstream.certificatePem());
        proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - name: sigv4_auth
                            config:
                              access_key_id: {type: fake, name: ID}
                              secret_access_key: {type: fake, name: SECRET}
                              session_token: {type: fake, name: TOKEN}
                              allowed_services: [s3]
                              redact_response: %s
                              rules: [{host: localhost}]
                        """.formatted(authority, key, trusted, redact))
                .catalog(PluginCatalog.of(List.of(new SigV4AuthFactory()), List.of(Workload.secrets())))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
    }

    S3Server server() {
        return server;
    }

    /** Where S3 is. */
    URI endpoint() {
        return URI.create(upstream.url());
    }

    /** Where the proxy is. */
    URI proxy() {
        return URI.create("http://127.0.0.1:" + proxy.tunnelAddress().getPort());
    }

    /** The certificate that clients trust. */
    Path authority() {
        return authority;
    }

    /** All records: the proxy ends for it, having written them. */
    String audit() {
        proxy.close();
        return audit.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        proxy.close();
        upstream.close();
    }
}
