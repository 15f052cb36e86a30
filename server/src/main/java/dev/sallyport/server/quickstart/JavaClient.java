package dev.sallyport.server.quickstart;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Trust;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JDK's client, for machines without curl. */
final class JavaClient implements Client {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Pattern REFUSED_TUNNEL = Pattern.compile("Tunnel failed, got: (\\d{3})");

    private final HttpClient client;

    /** Allows a Host header to be set. Read once, by the first client of the process, which may be another one. */
    static void prepare() {
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
    }

    JavaClient(InetSocketAddress proxy, Path caCertificate) throws Failure {
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(ProxySelector.of(proxy))
                .sslContext(Trust.in(caCertificate))
                .connectTimeout(PATIENCE)
                .build();
    }

    @Override
    public String name() {
        return "Java's HTTP client";
    }

    @Override
    public SampleResponse send(SampleRequest sample) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(sample.url()).timeout(PATIENCE);
        sample.headers().forEach(request::header);
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new SampleResponse(response.statusCode(), response.body());
        } catch (IOException e) {
            Matcher refused = REFUSED_TUNNEL.matcher(String.valueOf(e.getMessage()));
            return refused.find()
                    ? new SampleResponse(Integer.parseInt(refused.group(1)), "")
                    : new SampleResponse(0, e.toString());
        }
    }
}
