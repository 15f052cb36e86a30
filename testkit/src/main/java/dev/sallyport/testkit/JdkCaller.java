package dev.sallyport.testkit;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Calls through the JDK's client over HTTP/1.1, for tests of plug-ins without a proxy around them. Thread-safe. Closing
 * it aborts running calls.
 */
public final class JdkCaller implements HttpCaller, AutoCloseable {

    private static final Set<String> OF_THE_CLIENT = Set.of("host", "content-length");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Makes a client of its own. */
    public JdkCaller() {}

    @Override
    public CompletionStage<HttpReply> call(HttpCall call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(call.uri())
                .timeout(call.timeout())
                .method(call.method(), BodyPublishers.ofByteArray(call.body()));
        for (Map.Entry<String, String> line : call.headers()) {
            if (!OF_THE_CLIENT.contains(line.getKey().toLowerCase(Locale.ROOT))) {
                request.header(line.getKey(), line.getValue());
            }
        }
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray()).thenApply(Reply::of);
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }

    private record Reply(int status, Headers headers, byte[] body) implements HttpReply {

        static HttpReply of(HttpResponse<byte[]> response) {
            HeaderBlock lines = new HeaderBlock(8);
            response.headers().map().forEach((name, values) -> values.forEach(value -> lines.append(name, value)));
            return new Reply(response.statusCode(), lines, response.body());
        }
    }
}
