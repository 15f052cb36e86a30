package dev.sallyport.aws;

import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * Sends the SDK's requests through the proxy's own client, so that they resolve names, verify certificates and are
 * routed as the operator configured. Requests block until the whole reply is here; one without a reply fails with
 * {@link NoReplyException}. Holds no connections; thread-safe.
 *
 * @param http sends the requests
 */
public record CallerHttpClient(HttpCaller http) implements SdkHttpClient {

    /** Time limit of one attempt, from dialling to the last byte. */
    private static final Duration ATTEMPT_LIMIT = Duration.ofSeconds(5);

    @Override
    public String clientName() {
        return "Sallyport";
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new Attempt(http, request);
    }

    @Override
    public void close() {}

    /** The reason for a call without a reply, in a text that may be shown. */
    public static final class NoReplyException extends IOException {

        private static final long serialVersionUID = 1L;

        NoReplyException(String message) {
            super(message);
        }
    }

    private static final class Attempt implements ExecutableHttpRequest {

        private final HttpCaller http;
        private final HttpExecuteRequest request;
        private final CompletableFuture<Void> aborted = new CompletableFuture<>();

        Attempt(HttpCaller http, HttpExecuteRequest request) {
            this.http = http;
            this.request = request;
        }

        @Override
        public HttpExecuteResponse call() throws IOException {
            CompletableFuture<HttpReply> pending = http.call(asCall()).toCompletableFuture();
            aborted.thenRun(() -> pending.cancel(false));
            try {
                return answer(pending.get());
            } catch (InterruptedException e) {
                pending.cancel(false);
                Thread.currentThread().interrupt();
                throw new NoReplyException("interrupted");
            } catch (CancellationException e) {
                throw new NoReplyException("given up");
            } catch (ExecutionException e) {
                throw failure(e);
            }
        }

        private static IOException failure(ExecutionException e) {
            return switch (e.getCause()) {
                case IOException io -> new NoReplyException(String.valueOf(io.getMessage()));
                case TimeoutException late ->
                    new NoReplyException("no complete reply within " + ATTEMPT_LIMIT.toSeconds() + " s");
                case null, default -> new NoReplyException("the call failed");
            };
        }

        @Override
        public void abort() {
            aborted.complete(null);
        }

        private HttpCall asCall() throws IOException {
            SdkHttpRequest head = request.httpRequest();
            HttpCall.Builder call =
                    HttpCall.to(head.method().name(), head.getUri()).timeout(ATTEMPT_LIMIT);
            head.forEachHeader((name, values) -> values.forEach(value -> call.header(name, value)));
            ContentStreamProvider body = request.contentStreamProvider().orElse(null);
            if (body != null) {
                try (InputStream content = body.newStream()) {
                    call.body(content.readAllBytes());
                }
            }
            return call.build();
        }

        private static HttpExecuteResponse answer(HttpReply reply) {
            SdkHttpResponse.Builder head = SdkHttpResponse.builder().statusCode(reply.status());
            for (int i = 0; i < reply.headers().size(); i++) {
                head.appendHeader(reply.headers().name(i), reply.headers().value(i));
            }
            return HttpExecuteResponse.builder()
                    .response(head.build())
                    .responseBody(AbortableInputStream.create(new ByteArrayInputStream(reply.body())))
                    .build();
        }
    }
}
