package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A proxy on loopback ports. Closing it proves what must hold for every test: each record was written once, and the
 * transforms were closed once, which they are only when every exchange has given its lease back.
 */
public final class TestProxy implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final EgressProxy proxy;
    private final LinkedBlockingQueue<JsonNode> unread;
    private final List<JsonNode> all;
    private final Sentinel sentinel;
    private boolean closed;

    private TestProxy(EgressProxy proxy, Builder from) {
        this.proxy = proxy;
        this.unread = from.unread;
        this.all = from.all;
        this.sentinel = from.sentinel;
    }

    public static Builder builder(Path folder) {
        return new Builder(folder);
    }

    /** A declaration that allows everything. */
    public static Capabilities everything() {
        return Capabilities.builder()
                .reads(Part.values())
                .writes(Part.values())
                .effects(Effect.ANSWERS_LOCALLY, Effect.INJECTS_CREDENTIAL)
                .build();
    }

    public EgressProxy proxy() {
        return proxy;
    }

    /** A new connection to {@code http_listen}. */
    public Wire http() throws IOException {
        return connect(proxy.httpAddress());
    }

    /** A new connection to {@code tunnel_listen}. */
    public Wire tunnel() throws IOException {
        return connect(proxy.tunnelAddress());
    }

    /** A new connection to {@code https_listen}, without TLS. */
    public Wire rawHttps() throws IOException {
        return connect(proxy.httpsAddress());
    }

    /** A new connection to {@code https_listen}, with this server name. */
    public Wire https(TestCertificates certificates, String serverName) throws IOException {
        InetSocketAddress address = proxy.httpsAddress();
        Socket plain = new Socket(address.getAddress(), address.getPort());
        return new Wire(secure(certificates, plain, serverName), plain);
    }

    public static SSLSocket secure(TestCertificates certificates, Socket plain, String serverName) throws IOException {
        return secure(certificates.client, plain, serverName);
    }

    public static SSLSocket secure(SSLContext trust, Socket plain, String serverName, String... protocols)
            throws IOException {
        SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket(plain, serverName, 443, true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static Wire connect(InetSocketAddress address) throws IOException {
        return new Wire(new Socket(address.getAddress(), address.getPort()));
    }

    /** Sends a GET on a connection of its own and reads the answer, which must have a declared length. */
    public Wire.Message get(TestOrigin origin, String path, String... lines) throws IOException {
        try (Wire client = http()) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\n"
                            + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n")
                    .message();
        }
    }

    /** The next audit record. */
    public JsonNode record() throws InterruptedException {
        JsonNode next = unread.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("an audit record").isNotNull();
        return next;
    }

    /** The next audit record that is there already, or null. */
    public @Nullable JsonNode nextRecord() {
        return unread.poll();
    }

    /** Closes, and hands out every record there ever was. */
    public List<JsonNode> closeAndRecords() {
        close();
        return List.copyOf(all);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            proxy.close();
            assertThat(all.stream().map(record -> record.get("exchange_id").asText()))
                    .as("one record for each exchange")
                    .doesNotHaveDuplicates();
            assertThat(sentinel.closed.get()).as("closed transforms").isEqualTo(1);
        }
    }

    private static final class Sentinel implements InlineTransform {

        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public Decision decide(RequestContext context) {
            return Decision.proceed();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    /** Describes a proxy: all listeners, mitm, loopback allowed, two loops. */
    public static final class Builder {

        private final Path folder;
        private final LinkedBlockingQueue<JsonNode> unread = new LinkedBlockingQueue<>();
        private final List<JsonNode> all = new ArrayList<>();
        private final Sentinel sentinel = new Sentinel();
        private final EgressProxy.Builder builder = EgressProxy.builder();
        private TestCertificates certificates;
        private String proxyLines = "  upstream_deny_cidrs: []\n";
        private Consumer<AuditRecord> listener = record -> {};
        private String more = "";
        private String dns = "dns:\n  enabled: false\n";
        private String upstreamCa = "";
        private String tlsLines = "";
        private boolean forgetful;

        private Builder(Path folder) {
            this.folder = folder;
            builder.catalog(PluginCatalog.of(List.of(), List.of()))
                    .environment(Map.of())
                    .loops(2)
                    .auditSink(AuditSinks.none())
                    .auditListener(this::written);
        }

        private void written(AuditRecord record, ByteBuffer line) {
            listener.accept(record);
            if (forgetful) {
                return;
            }
            try {
                JsonNode json =
                        JSON.readTree(StandardCharsets.UTF_8.decode(line).toString());
                all.add(json);
                unread.add(json);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        public Builder certificates(TestCertificates made) {
            certificates = made;
            upstreamCa = "  upstream_ca: " + made.originPem + "\n";
            return this;
        }

        public Builder distrustingOrigins(TestCertificates made) {
            certificates = made;
            return this;
        }

        /** Replaces the lines of section {@code proxy} that are not listeners; each is indented by two. */
        public Builder proxyLines(String... lines) {
            proxyLines = "  " + String.join("\n  ", lines) + "\n";
            return this;
        }

        /** Replaces section {@code tls}; each line is indented by two. */
        public Builder tlsLines(String... lines) {
            tlsLines = "  " + String.join("\n  ", lines) + "\n";
            return this;
        }

        /** Passes TLS through; {@code https_listen} dials this port. */
        public Builder sniOnly(int port) {
            return tlsLines("mode: sni-only").proxyLines("upstream_deny_cidrs: []", "sni_upstream_port: " + port);
        }

        /** Replaces the section {@code dns}, which is off. */
        public Builder dns(String yaml) {
            dns = yaml;
            return this;
        }

        /** Receives each record beside its JSON. */
        public Builder listener(Consumer<AuditRecord> receiver) {
            listener = receiver;
            return this;
        }

        /** Keeps no records, and does not look at them: for tests of so many exchanges that they would fill the heap. */
        public Builder forgetRecords() {
            forgetful = true;
            return this;
        }

        /** Further sections. */
        public Builder sections(String yaml) {
            more = yaml;
            return this;
        }

        public Builder catalog(PluginCatalog catalog) {
            builder.catalog(catalog);
            return this;
        }

        public Builder environment(Map<String, String> variables) {
            builder.environment(variables);
            return this;
        }

        public Builder auditSink(AuditSink sink) {
            builder.auditSink(sink);
            return this;
        }

        public Builder loops(int count) {
            builder.loops(count);
            return this;
        }

        public Builder transform(String name, InlineTransform transform) {
            return transform(name, everything(), transform);
        }

        public Builder transform(String name, Capabilities capabilities, Transform transform) {
            builder.transform(name, capabilities, transform);
            return this;
        }

        public String yaml() {
            return """
                    %smetrics:
                      listen: disabled
                    proxy:
                      http_listen: 127.0.0.1:0
                      https_listen: 127.0.0.1:0
                      tunnel_listen: 127.0.0.1:0
                      redact_responses: swapped
                    %stls:
                    %s%s""".formatted(dns, proxyLines, tlsLines.isEmpty() ? mitm() : tlsLines, more);
        }

        private String mitm() {
            TestCertificates made = certificates == null ? new TestCertificates(folder) : certificates;
            certificates = made;
            return "  ca_cert: %s\n  ca_key: %s\n%s".formatted(made.caCert, made.caKey, upstreamCa);
        }

        public EgressProxy build() {
            return builder.configText("test.yaml", yaml())
                    .transform("sentinel", Capabilities.none(), sentinel)
                    .build();
        }

        public TestProxy start() throws StartException {
            EgressProxy proxy = build();
            proxy.start();
            return new TestProxy(proxy, this);
        }

        /** For reloads: the configuration is read from a file. */
        public TestProxy start(Path file) throws StartException {
            EgressProxy proxy = builder.config(file)
                    .transform("sentinel", Capabilities.none(), sentinel)
                    .build();
            proxy.start();
            return new TestProxy(proxy, this);
        }
    }
}
