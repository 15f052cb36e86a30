package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a credential is looked for that an origin has stored, once the configuration does not have it any more. */
class RemovedEntryTest {

    private static final String REAL = "the-value-of-the-first-entry";

    @TempDir
    Path folder;

    private final AtomicReference<String> stored = new AtomicReference<>("");
    private ServerSocket origin;
    private EgressProxy proxy;

    /** An origin that answers with what it was told to keep. */
    @BeforeEach
    void start() throws Exception {
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
        configure("redact_responses: swapped", "FIRST", "SECOND");
        proxy = EgressProxy.builder()
                .config(folder.resolve("sallyport.yaml"))
                .catalog(PluginCatalog.of(
                        List.of(new SecretsFactory()),
                        List.of(new FakeSecrets().set("FIRST", REAL).set("SECOND", "the-value-of-the-second"))))
                .auditSink(AuditSinks.stream(new ByteArrayOutputStream()))
                .build();
        proxy.start();
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        origin.close();
    }

    private void accept() {
        while (!origin.isClosed()) {
            try (Peer client = new Peer(origin.accept())) {
                String head = client.readHead();
                int at = head.indexOf("X-Store: ");
                if (at >= 0) {
                    stored.set(head.substring(at + 9, head.indexOf('\r', at)));
                }
                client.send("HTTP/1.1 200 OK\r\nContent-Length: " + stored.get().length()
                        + "\r\nConnection: close\r\n\r\n" + stored.get());
            } catch (IOException e) {
                // Closed, or the proxy hung up: then the client sees no answer.
            }
        }
    }

    private void configure(String proxyLine, String... entries) throws IOException {
        StringBuilder yaml = new StringBuilder("""
                dns: {enabled: false}
                proxy:
                  http_listen: "127.0.0.1:0"
                  https_listen: disabled
                  tunnel_listen: disabled
                  upstream_deny_cidrs: []
                  %s
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                metrics: {listen: disabled}
                transforms:
                  - name: secrets
                    config:
                      secrets:
                """.formatted(proxyLine.replace("; ", "\n  ")));
        for (String name : entries) {
            yaml.append("        - {source: {type: fake, name: %s}, replace: {proxy_value: USE-%s}}\n"
                    .formatted(name, name));
        }
        Files.writeString(folder.resolve("sallyport.yaml"), yaml);
    }

    private void reload(String proxyLine, String... entries) throws Exception {
        configure(proxyLine, entries);
        assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
    }

    private String ask(String... fields) throws IOException {
        try (Peer client = Peer.to(proxy.httpAddress())) {
            String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
            String answer = client.send("GET /x HTTP/1.1\r\nHost: localhost:" + origin.getLocalPort()
                            + "\r\nConnection: close\r\n" + more + "\r\n")
                    .readToEnd();
            return answer.substring(answer.indexOf("\r\n\r\n") + 4);
        }
    }

    @Test
    void itIsLookedForAsLongAsConfigured() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");
        assertThat(stored).hasValue(REAL);

        reload("redact_responses: swapped", "SECOND");
        assertThat(ask()).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped; redact_after_removal: 0s", "SECOND");
        assertThat(ask()).isEqualTo(REAL);
    }

    @Test
    void itIsKnownForGoodWhenItComesBack() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped", "SECOND");
        reload("redact_responses: swapped; redact_after_removal: 0s", "SECOND", "FIRST");
        assertThat(ask()).isEqualTo("USE-FIRST");
    }

    @Test
    void nothingIsLookedForOnceThatIsOff() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: off", "FIRST", "SECOND");
        assertThat(ask()).isEqualTo(REAL);
    }
}
