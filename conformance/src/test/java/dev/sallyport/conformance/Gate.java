package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A proxy on loopback ports with an authority of its own, which may dial loopback. */
public final class Gate implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final EgressProxy proxy;
    private final Path caFile;
    private final BlockingQueue<JsonNode> records = new LinkedBlockingQueue<>();

    /**
     * Starts it.
     *
     * @param folder for its files
     * @param trusted PEM certificates that origins may be signed by
     * @param transforms the section {@code transforms}, in YAML
     * @param environment what sources read
     */
    Gate(Path folder, String trusted, String transforms, Map<String, String> environment) throws Exception {
        this(folder, trusted, environment, "transforms:\n" + transforms.indent(2));
    }

    /**
     * Starts one that has no transforms, or whatever else these sections say.
     *
     * @param folder for its files
     * @param trusted PEM certificates that origins may be signed by; empty for none
     * @param sections more sections of the configuration, in YAML
     */
    public Gate(Path folder, String trusted, String sections) throws Exception {
        this(folder, trusted, Map.of(), sections);
    }

    /** As {@link #Gate(Path, String, String)}, with what sources read. */
    public Gate(Path folder, String trusted, Map<String, String> environment, String sections) throws Exception {
        caFile = folder.resolve("ca.crt");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Conformance CA", Duration.ofDays(1)).write(caFile, key);
        String roots =
                trusted.isEmpty() ? "" : ", upstream_ca: " + Files.writeString(folder.resolve("upstream.pem"), trusted);
        proxy = EgressProxy.builder()
                .configText("gate.yaml", """
                        dns: {enabled: false}
                        metrics: {listen: disabled}
                        proxy:
                          http_listen: 127.0.0.1:0
                          https_listen: 127.0.0.1:0
                          tunnel_listen: 127.0.0.1:0
                          upstream_deny_cidrs: []
                          redact_responses: swapped
                        tls: {ca_cert: %s, ca_key: %s%s}
                        %s
                        """.formatted(caFile, key, roots, sections))
                .environment(environment)
                .auditListener((record, line) ->
                        records.add(parse(StandardCharsets.UTF_8.decode(line).toString())))
                .build();
        proxy.start();
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int httpPort() {
        return port(proxy.httpAddress());
    }

    public int httpsPort() {
        return port(proxy.httpsAddress());
    }

    public int tunnelPort() {
        return port(proxy.tunnelAddress());
    }

    private static int port(@Nullable InetSocketAddress address) {
        return Objects.requireNonNull(address, "a listener").getPort();
    }

    /** The certificate that clients trust. */
    public Path caFile() {
        return caFile;
    }

    /** The next audit record. */
    public JsonNode record() throws InterruptedException {
        JsonNode next = records.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("an audit record").isNotNull();
        return Objects.requireNonNull(next);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
