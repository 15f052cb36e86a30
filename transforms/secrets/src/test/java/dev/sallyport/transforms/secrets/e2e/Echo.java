package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A proxy that has a credential for {@code localhost}, and an origin that does what a test says. */
final class Echo implements AutoCloseable {

    static final String PLACEHOLDER = "PLACEHOLDER";

    /** Everything in it is written in another way somewhere. */
    static final String REAL = "r34l/cr3d+of \"the\\operator\"<&>'=%41";

    /** What the origin does on one connection; it is closed afterwards. */
    interface Script {
        void serve(Peer client) throws Exception;
    }

    private final ServerSocket origin;
    private final Script script;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private final EgressProxy proxy;
    private boolean closed;

    Echo(Path folder, String real, Script script) throws Exception {
        this.script = script;
        this.origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
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

    private void accept() {
        while (!origin.isClosed()) {
            try {
                Socket socket = origin.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                if (!origin.isClosed()) {
                    failures.add(e);
                }
            }
        }
    }

    private void serve(Socket socket) {
        try (Peer client = new Peer(socket)) {
            script.serve(client);
        } catch (SocketException e) {
            // The proxy hung up.
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    String authority() {
        return "localhost:" + origin.getLocalPort();
    }

    /** A connection to the proxy. */
    Peer client() throws IOException {
        return Peer.to(proxy.httpAddress());
    }

    /** Says this, with {@code Host} and the placeholder in a header, and hears everything up to the end. */
    String ask(String requestLine, String... fields) throws IOException {
        try (Peer client = client()) {
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
            for (Throwable failure : failures) {
                throw new AssertionError("the origin's script failed", failure);
            }
        }
    }
}
