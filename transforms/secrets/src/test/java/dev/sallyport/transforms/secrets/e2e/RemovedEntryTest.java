package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a credential is looked for that an origin has stored, once the configuration does not have it any more. */
class RemovedEntryTest {

    private static final String REAL = "the-value-of-the-first-entry";

    @TempDir
    Path folder;

    private final FakeSecrets values = new FakeSecrets();
    private final AtomicReference<String> stored = new AtomicReference<>("");
    private TestOrigin origin;
    private EgressProxy proxy;

    /** An origin that answers with what it was told to keep. */
    @BeforeEach
    void start() throws Exception {
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        origin = TestOrigin.handling(this::answer);
        configure("redact_responses: swapped", "FIRST", "SECOND");
        proxy = EgressProxy.builder()
                .config(folder.resolve("sallyport.yaml"))
                .catalog(PluginCatalog.of(
                        List.of(new SecretsFactory()),
                        List.of(values.set("FIRST", REAL).set("SECOND", "the-value-of-the-second"))))
                .auditSink(AuditSinks.stream(new ByteArrayOutputStream()))
                .build();
        proxy.start();
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        origin.close();
    }

    private String answer(Wire.Message request) {
        if (request.has("X-Store")) {
            stored.set(request.field("X-Store"));
        }
        return TestOrigin.ok(stored.get());
    }

    /** @param entries names of secrets, each with what else the entry says behind a comma */
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
        for (String entry : entries) {
            String[] parts = entry.split(", ", 2);
            String source = parts.length > 1 && parts[1].startsWith("ttl") ? ", " + parts[1] : "";
            String more = parts.length > 1 && source.isEmpty() ? ", " + parts[1] : "";
            yaml.append("        - {source: {type: fake, name: %s%s}, replace: {proxy_value: USE-%s}%s}\n"
                    .formatted(parts[0], source, parts[0], more));
        }
        Files.writeString(folder.resolve("sallyport.yaml"), yaml);
    }

    private void reload(String proxyLine, String... entries) throws Exception {
        configure(proxyLine, entries);
        assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
    }

    private String ask(String... fields) throws IOException {
        try (Wire client = Wire.to(proxy.httpAddress())) {
            String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
            String answer = client.send("GET /x HTTP/1.1\r\nHost: localhost:" + origin.port()
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

    @ParameterizedTest
    @ValueSource(strings = {"off", "exchange"})
    void anEntryIsNotLookedForOnceItSaysSo(String now) throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");
        assertThat(ask()).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped", "FIRST, redact_response: " + now, "SECOND");
        assertThat(ask()).isEqualTo(REAL);
    }

    @Test
    void anEntryThatSaidSoItselfIsNotLookedForOnceItSaysNothing() throws Exception {
        reload("redact_responses: off", "FIRST, redact_response: swapped", "SECOND");
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: off", "FIRST", "SECOND");
        assertThat(ask()).isEqualTo(REAL);
    }

    @Test
    void aSecretIsLookedForAsLongAsOneOfItsEntriesWantsIt() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped", "FIRST, redact_response: off", "SECOND, redact_response: off", "FIRST");
        assertThat(ask()).isEqualTo("USE-FIRST");
    }

    @Test
    void othersAreLookedForWhenOneIsNot() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped", "FIRST", "SECOND, redact_response: off");
        assertThat(ask()).isEqualTo("USE-FIRST");
    }

    /** An entry that has moved in the list is the same one: its new value supersedes the one before. */
    @Test
    void aValueIsKeptOnceWhereverItsEntryStands() throws Exception {
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");
        values.set("FIRST", "the-second-value-of-the-first-entry");
        String atOnce = "redact_responses: swapped; redact_after_removal: 0s";

        // with another ttl, so that it is read again
        reload(atOnce, "SECOND", "FIRST, ttl: 2h");
        assertThat(ask("X-Use: USE-FIRST")).isEqualTo("USE-FIRST");
        reload(atOnce, "SECOND", "FIRST, ttl: 2h");

        assertThat(ask()).isEqualTo(REAL);
    }

    @Test
    void anEntryThatHasATwinIsStillTheSame() throws Exception {
        reload("redact_responses: swapped", "FIRST", "FIRST, rules: [{host: other.test}]", "SECOND");
        assertThat(ask("X-Store: USE-FIRST")).isEqualTo("USE-FIRST");

        reload("redact_responses: swapped; redact_after_removal: 0s", "SECOND", "FIRST");
        assertThat(ask()).isEqualTo("USE-FIRST");
    }
}
