package dev.sallyport.testkit;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.TransformFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A whole proxy on ports of its own of the loopback interface, for tests with sockets and real clients. It listens for
 * HTTP and for tunnels, has an authority of its own, may dial the loopback interface, and keeps its audit log in
 * memory. Thread-safe.
 */
public final class WholeProxy implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final EgressProxy proxy;
    private final ByteArrayOutputStream audit;
    private final CertificateAuthority authority;

    private WholeProxy(EgressProxy proxy, ByteArrayOutputStream audit, CertificateAuthority authority) {
        this.proxy = proxy;
        this.audit = audit;
        this.authority = authority;
    }

    /**
     * Starts one.
     *
     * @param folder for its files
     * @param transforms the list {@code transforms}, in YAML flow style: {@code [{name: ..., config: {...}}]}
     * @param trusted an origin whose certificate the proxy trusts, or null for the system's roots alone
     * @param factories what makes the transforms
     */
    public static WholeProxy start(
            Path folder, String transforms, @Nullable TestUpstream trusted, TransformFactory<?>... factories)
            throws IOException, StartException {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority authority = CertificateAuthority.generate("Test CA", Duration.ofDays(1));
        authority.write(cert, key);
        String roots = trusted == null
                ? ""
                : ", upstream_ca: \"" + Files.writeString(folder.resolve("upstream.pem"), trusted.certificatePem())
                        + '"';
        ByteArrayOutputStream audit = new ByteArrayOutputStream();
        EgressProxy proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"%s}
                        metrics: {listen: disabled}
                        transforms: %s
                        """.formatted(cert, key, roots, transforms))
                .catalog(PluginCatalog.of(List.of(factories), List.of()))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        return new WholeProxy(proxy, audit, authority);
    }

    /** A client that trusts the proxy's authority and goes through its tunnel. To be closed by the caller. */
    public HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(trusting())
                .proxy(ProxySelector.of(Objects.requireNonNull(proxy.tunnelAddress())))
                .build();
    }

    private SSLContext trusting() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("ca", authority.certificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this Java cannot make a trust store", e);
        }
    }

    /** A connection to the HTTP listener, of which a test writes every byte. Reads give up after 20 s. */
    public Socket connect() throws IOException {
        InetSocketAddress address = Objects.requireNonNull(proxy.httpAddress());
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** What a counter of the proxy has reached; see {@link EgressProxy#count}. */
    public long count(String name, String... labels) {
        return proxy.count(name, labels);
    }

    /** Stops the proxy, which writes the remaining records, and returns the audit log. */
    public String audited() {
        proxy.close();
        return audit.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
