package dev.sallyport.server.otlp;

import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Sends protobuf over HTTP with the proxy's own client. Thread-safe. */
final class CollectorHttp implements HttpSender {

    private static final int LEAST_BYTES = 64;
    private static final int MOST_REPLY_BYTES = 64 * 1024;

    private final Collector collector;
    private final HttpSenderConfig config;
    private final Supplier<Consumer<Delivery>> attempts;

    /** @param attempts for each attempt, what is told how it has ended, before the exporter is */
    CollectorHttp(Collector collector, HttpSenderConfig config, Supplier<Consumer<Delivery>> attempts) {
        this.collector = collector;
        this.config = config;
        this.attempts = attempts;
    }

    @Override
    public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
        Consumer<Delivery> ending = attempts.get();
        HttpCall call;
        try {
            call = call(message);
        } catch (IOException | RuntimeException e) {
            ending.accept(new Delivery.Refused("it could not be encoded: " + e));
            onError.accept(e);
            return;
        }
        collector.http().call(call).whenComplete((reply, failure) -> {
            if (failure == null) {
                ending.accept(Responses.of(reply));
                onResponse.accept(new Answer(reply));
            } else {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                ending.accept(new Delivery.Failed(Delivery.cut(String.valueOf(cause.getMessage())), Duration.ZERO));
                onError.accept(cause);
            }
        });
    }

    private HttpCall call(MessageWriter message) throws IOException {
        Compressor compressor = config.getCompressor();
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.max(LEAST_BYTES, message.getContentLength()));
        try (OutputStream to = compressor == null ? body : compressor.compress(body)) {
            message.writeMessage(to);
        }
        HttpCall.Builder call = HttpCall.to("POST", config.getEndpoint())
                .header("Content-Type", config.getContentType())
                .body(body.toByteArray())
                .timeout(config.getTimeout())
                .maxReplyBytes(MOST_REPLY_BYTES);
        if (compressor != null) {
            call.header("Content-Encoding", compressor.getEncoding());
        }
        config.getHeadersSupplier().get().forEach((name, values) -> values.forEach(value -> call.header(name, value)));
        return call.build();
    }

    /** The connections belong to the {@link CollectorNetwork}. */
    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }

    private record Answer(HttpReply reply) implements HttpResponse {

        @Override
        public int getStatusCode() {
            return reply.status();
        }

        @Override
        public String getStatusMessage() {
            return "";
        }

        @Override
        public byte[] getResponseBody() {
            return reply.body();
        }
    }
}
