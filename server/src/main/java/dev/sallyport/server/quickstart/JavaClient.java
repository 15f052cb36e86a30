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

/** The client that Java brings along, for machines without curl. */
final class JavaClient implements Client {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Pattern REFUSED_TUNNEL = Pattern.compile("Tunnel failed, got: (\\d{3})");

    private final HttpClient client;

    JavaClient(InetSocketAddress proxy, Path caCertificate) throws Failure {
        // Read once, by the first client of the process: the Host header may be set.
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
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
    public Answer send(Visit visit) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(visit.url()).timeout(PATIENCE);
        visit.headers().forEach(request::header);
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            Matcher refused = REFUSED_TUNNEL.matcher(String.valueOf(e.getMessage()));
            return refused.find() ? new Answer(Integer.parseInt(refused.group(1)), "") : new Answer(0, e.toString());
        }
    }
}
