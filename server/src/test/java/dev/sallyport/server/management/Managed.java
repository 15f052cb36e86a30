package dev.sallyport.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Server;
import dev.sallyport.server.ServerModule;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** A server in this JVM with its management API on a port of its own. */
final class Managed implements AutoCloseable {

    static final String KEY = "a key that nobody guesses";

    private static final ObjectMapper JSON = new ObjectMapper();

    final Path file;
    final Server server;
    final TestCertificates certificates;

    private Managed(Path file, TestCertificates certificates, Map<String, String> environment) throws Exception {
        this.file = file;
        this.certificates = certificates;
        this.server =
                ServerModule.server(new ServerModule.Options(file, environment, AuditSinks.none()), Plugins.load(null));
    }

    /** @param more further sections, or none */
    static Managed start(Path folder, String more, Map<String, String> environment) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, yaml(certificates, more));
        Managed managed = new Managed(file, certificates, environment);
        try {
            managed.server.start();
        } catch (Failure e) {
            managed.close();
            throw e;
        }
        return managed;
    }

    static Managed start(Path folder, String more) throws Exception {
        return start(folder, more, Map.of("PROXY_MANAGEMENT_API_KEY", KEY));
    }

    static String yaml(TestCertificates certificates, String more) {
        return """
                dns: {enabled: false}
                proxy:
                  http_listen: 127.0.0.1:0
                  https_listen: disabled
                  tunnel_listen: 127.0.0.1:0
                  upstream_deny_cidrs: []
                tls: {ca_cert: %s, ca_key: %s}
                metrics: {listen: "127.0.0.1:0"}
                management: {listen: "127.0.0.1:0"}
                %s""".formatted(certificates.caCert, certificates.caKey, more);
    }

    void rewrite(String more) throws IOException {
        Files.writeString(file, yaml(certificates, more));
    }

    Wire connect() throws IOException {
        return Wire.to(Objects.requireNonNull(server.managementAddress()));
    }

    /** With the key. */
    static String request(String method, String target) {
        return method + " " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY + "\r\n\r\n";
    }

    /** Asks with the key, on a connection of its own. */
    Wire.Message ask(String method, String target) throws IOException {
        try (Wire client = connect()) {
            client.send(request(method, target));
            return method.equals("HEAD") ? client.headOnly() : client.message();
        }
    }

    JsonNode json(String method, String target, int status) throws IOException {
        Wire.Message answer = ask(method, target);
        assertThat(answer.status()).as(answer.head() + answer.body()).isEqualTo(status);
        assertThat(answer.field("Content-Type")).isEqualTo("application/json");
        return JSON.readTree(answer.body());
    }

    /** Posts JSON, written with single quotes, on a connection of its own. */
    JsonNode post(String target, String body, int status) throws IOException {
        String text = body.replace('\'', '"');
        try (Wire client = connect()) {
            client.send("POST " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
            Wire.Message answer = client.message();
            assertThat(answer.status()).as(answer.head() + answer.body()).isEqualTo(status);
            return JSON.readTree(answer.body());
        }
    }

    static JsonNode json(String text) throws IOException {
        return JSON.readTree(text);
    }

    @Override
    public void close() {
        server.close();
    }
}
