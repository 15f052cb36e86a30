package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Whole proxies that listen on ports of their own, with {@code secrets} alone. */
final class Proxies {

    private Proxies() {}

    /**
     * Starts one.
     *
     * @param proxyLine more fields of {@code proxy}, in YAML flow style, each with a comma behind it
     * @param entries of {@code secrets}, each in YAML flow style
     */
    static EgressProxy start(
            Path folder, OutputStream audit, FakeSecrets values, String proxyLine, List<String> entries)
            throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        EgressProxy proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {%s http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                          - name: secrets
                            config:
                              secrets: [%s]
                        """.formatted(proxyLine, cert, key, String.join(", ", entries)))
                .catalog(PluginCatalog.of(List.of(new SecretsFactory()), List.of(values)))
                .auditSink(AuditSinks.stream(audit))
                .build();
        proxy.start();
        return proxy;
    }

    /** An entry that swaps PLACEHOLDER in all places of requests to {@code api.localhost}; {@code more} begins with a comma. */
    static String entry(String source, String more) {
        return "{source: " + source
                + ", replace: {proxy_value: PLACEHOLDER, match_body: true}, rules: [{host: api.localhost}]" + more
                + "}";
    }
}
