package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A whole proxy with judges, an origin behind it, and a client in front of it. */
final class JudgedProxy implements AutoCloseable {

    static final String KEY = "sk-the-provider-key";
    static final String PLACEHOLDER = "PLACEHOLDER-0001";

    private final TestUpstream origin = TestUpstream.http(request -> TestResponse.ok("from the origin"));
    private final ByteArrayOutputStream audit;
    private final HttpClient client;
    private final EgressProxy proxy;

    /** Stands for a transform that swaps a placeholder. */
    static final class Swapping implements TransformFactory<Swapping.Config> {

        /** Nothing to configure. */
        public record Config() {}

        @Override
        public Descriptor<Config> descriptor() {
            return Descriptor.of("swapping", Config.class, "Declares a placeholder.");
        }

        @Override
        public Capabilities capabilities(Config config) {
            return Capabilities.builder().placeholder(PLACEHOLDER).build();
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private JudgedProxy(EgressProxy proxy, ByteArrayOutputStream audit) {
        this.proxy = proxy;
        this.audit = audit;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(ProxySelector.of(Objects.requireNonNull(proxy.httpAddress())))
                .build();
    }

    /** Starts one with these entries of {@code transforms}, in YAML flow style. */
    static JudgedProxy start(Path folder, String... entries) throws Exception {
        ByteArrayOutputStream audit = new ByteArrayOutputStream();
        EgressProxy proxy = build(folder, audit, entries);
        proxy.start();
        return new JudgedProxy(proxy, audit);
    }

    static EgressProxy build(Path folder, ByteArrayOutputStream audit, String... entries) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        return EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s"}
                        metrics: {listen: disabled}
                        transforms: [%s]
                        """.formatted(cert, key, String.join(", ", entries)))
                .environment(Map.of("JUDGE_KEY", KEY))
                .catalog(PluginCatalog.of(List.of(new JudgeFactory(), new Swapping()), List.of()))
                .auditSink(AuditSinks.stream(audit))
                .build();
    }

    /** A judge of everything; {@code more} begins with a comma. */
    static String judge(String type, String baseUrl, String more) {
        return "{name: judge, config: {name: one, prompt: \"Be \\\"strict\\\".\", rules: [{host: \"*\"}], provider: {type: "
                + type + ", model: a-model, api_key_env: JUDGE_KEY, base_url: \"" + baseUrl + "\"}" + more + "}}";
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create(origin.url() + target)).timeout(Duration.ofSeconds(30));
    }

    HttpResponse<String> get(String target) throws Exception {
        return send(request(target).build());
    }

    HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** A connection of which a test writes every byte. */
    Socket connect() throws IOException {
        InetSocketAddress address = Objects.requireNonNull(proxy.httpAddress());
        return new Socket(address.getAddress(), address.getPort());
    }

    HttpClient client() {
        return client;
    }

    /** What a counter of the proxy has reached. */
    long count(String name, String... labels) {
        return proxy.count(name, labels);
    }

    /** What the origin got. */
    List<ForwardedRequest> forwarded() {
        return origin.requests();
    }

    /** Ends the proxy, and returns the annotations of the first transform of each exchange. */
    List<JsonNode> annotations() throws Exception {
        return records().stream()
                .map(line -> line.path("request_transforms").path(0).path("annotations"))
                .toList();
    }

    /** Ends the proxy, and returns its audit records. */
    List<JsonNode> records() throws Exception {
        proxy.close();
        String text = audit.toString(StandardCharsets.UTF_8);
        if (text.contains(KEY)) {
            throw new AssertionError("the provider's key is in the audit log");
        }
        return text.lines().map(JudgedProxy::json).toList();
    }

    private static JsonNode json(String line) {
        try {
            return ModelServer.JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        proxy.close();
        client.close();
        origin.close();
    }
}
