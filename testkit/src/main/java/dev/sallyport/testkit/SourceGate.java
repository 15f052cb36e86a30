package dev.sallyport.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.SecretSourceFactory;
import java.io.OutputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A whole proxy that sends a secret of some source with each request, and its origin, for tests of rotation, reloads
 * and failures of a source. Blocks; the test must close it.
 */
public final class SourceGate implements AutoCloseable {

    private final TestUpstream origin = TestUpstream.http(request -> TestResponse.ok(request.header("X-Token")));
    private final EgressProxy proxy;
    private final HttpClient client;

    /**
     * Starts it; parameters as {@link #proxy}.
     *
     * @throws StartException when the source cannot be read, or is configured wrongly
     */
    public SourceGate(
            Path folder, List<SecretSourceFactory<?>> factories, String source, Map<String, String> environment)
            throws Exception {
        proxy = proxy(folder, factories, source, environment);
        try {
            proxy.start();
        } catch (StartException e) {
            origin.close();
            throw e;
        }
        client = HttpClient.newBuilder()
                .proxy(ProxySelector.of(proxy.tunnelAddress()))
                .build();
    }

    /**
     * A proxy of the same kind that has not been started.
     *
     * @param folder the folder for its files
     * @param factories the available sources
     * @param source the source to use, as configured
     * @param environment the environment variables for sources
     */
    public static EgressProxy proxy(
            Path folder, List<SecretSourceFactory<?>> factories, String source, Map<String, String> environment)
            throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        String yaml = """
                dns: {enabled: false}
                metrics: {listen: disabled}
                proxy:
                  http_listen: disabled
                  https_listen: disabled
                  tunnel_listen: "127.0.0.1:0"
                  upstream_deny_cidrs: []
                tls: {ca_cert: "%s", ca_key: "%s"}
                transforms:
                  - name: token_header
                    config:
                      token: %s
                """.formatted(cert, key, source);
        return EgressProxy.builder()
                .configText("proxy.yaml", yaml)
                .catalog(PluginCatalog.of(List.of(new TokenHeader()), factories))
                .environment(environment)
                .auditSink(AuditSinks.stream(OutputStream.nullOutputStream()))
                .loops(1)
                .build();
    }

    /** Sends a request, which must succeed, and returns the value that it carried. */
    public String send() throws Exception {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(origin.url() + "/")).build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    /** Loads the configuration again. */
    public ReloadResult reload() {
        return proxy.reload();
    }

    @Override
    public void close() {
        client.close();
        proxy.close();
        origin.close();
    }
}
