package dev.sallyport.examples.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.StubResponse;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingTest {

    @Test
    void lambdaAnswersForEveryHost(@TempDir Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Example CA", Duration.ofDays(1)).write(cert, key);
        String yaml = """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0"}
                tls: {ca_cert: "%s", ca_key: "%s"}
                metrics: {listen: disabled}
                """.formatted(cert, key);
        InlineTransform greeter = request -> Decision.respond(
                StubResponse.json("{\"hello\": \"" + request.destination().host() + "\"}"));

        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (EgressProxy proxy = EgressProxy.builder()
                .configText("example.yaml", yaml)
                .transform("greeter", greeter)
                .auditListener((record, json) ->
                        seen.add(record.method() + " " + record.host() + record.path() + " " + record.statusCode()))
                .build()) {
            proxy.start();
            try (HttpClient client = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(proxy.tunnelAddress()))
                    .build()) {
                HttpRequest request =
                        HttpRequest.newBuilder(URI.create("http://world.test/")).build();

                assertThat(client.send(request, BodyHandlers.ofString()).body())
                        .isEqualTo("{\"hello\": \"world.test\"}");
                assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("GET world.test/ 200");
            }
        }
    }
}
