package dev.sallyport.server.otlp;

import dev.sallyport.grpc.OperatorChannel;
import dev.sallyport.grpc.ServerAddress;
import dev.sallyport.spi.HttpCall;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends over gRPC, on one connection that is kept. A call fails where there is none, and has it tried again at once, for
 * the next call: gRPC's own pause would grow to two minutes. Thread-safe.
 */
final class CollectorGrpc implements GrpcSender {

    private static final int MOST_REPLY_BYTES = 64 * 1024;

    private final OperatorChannel channel;
    private final GrpcSenderConfig config;
    private final Supplier<Consumer<Delivery>> attempts;
    private final MethodDescriptor<byte[], byte[]> method;

    /** @param attempts for each attempt, what is told how it has ended, before the exporter is */
    CollectorGrpc(Collector collector, GrpcSenderConfig config, Supplier<Consumer<Delivery>> attempts) {
        this.config = config;
        this.attempts = attempts;
        this.channel = channel(collector, config.getEndpoint());
        this.method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(config.getFullMethodName())
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
    }

    private static OperatorChannel channel(Collector collector, URI endpoint) {
        boolean secure = endpoint.getScheme().equalsIgnoreCase("https");
        ChannelCredentials credentials = secure
                ? TlsChannelCredentials.newBuilder()
                        .trustManager(collector.roots().trustManager())
                        .build()
                : InsecureChannelCredentials.create();
        String host = Objects.requireNonNull(HttpCall.hostOf(endpoint), "host");
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new OperatorChannel(
                new ServerAddress(bare, HttpCall.portOf(endpoint), secure),
                credentials,
                collector.sockets(),
                task -> Thread.ofVirtual().name(CollectorNetwork.THREAD).start(task),
                builder -> {});
    }

    @Override
    public void send(MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
        Consumer<Delivery> ending = attempts.get();
        byte[] body;
        try {
            ByteArrayOutputStream to = new ByteArrayOutputStream(Math.max(64, message.getContentLength()));
            message.writeMessage(to);
            body = to.toByteArray();
        } catch (IOException | RuntimeException e) {
            ending.accept(new Delivery.Refused("it could not be encoded: " + e));
            onError.accept(e);
            return;
        }
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(config.getTimeout().toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(MOST_REPLY_BYTES);
        Compressor compressor = config.getCompressor();
        if (compressor != null) {
            options = options.withCompression(compressor.getEncoding());
        }
        channel.channel().resetConnectBackoff();
        ClientCall<byte[], byte[]> call = channel.newCall(method, options);
        call.start(new Ended(ending, onResponse), headers());
        call.request(2); // a second message would be a fault
        call.sendMessage(body);
        call.halfClose();
    }

    private Metadata headers() {
        Metadata metadata = new Metadata();
        config.getHeadersSupplier().get().forEach((name, values) -> {
            // gRPC sends its own.
            if (!name.equalsIgnoreCase("user-agent")) {
                Metadata.Key<String> key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
                values.forEach(value -> metadata.put(key, value));
            }
        });
        return metadata;
    }

    @Override
    public CompletableResultCode shutdown() {
        channel.close();
        return CompletableResultCode.ofSuccess();
    }

    /** Waits for the end of a call. */
    private static final class Ended extends ClientCall.Listener<byte[]> {

        private final Consumer<Delivery> ending;
        private final Consumer<GrpcResponse> onResponse;
        private byte[] response = {};

        Ended(Consumer<Delivery> ending, Consumer<GrpcResponse> onResponse) {
            this.ending = ending;
            this.onResponse = onResponse;
        }

        @Override
        public void onMessage(byte[] message) {
            response = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ending.accept(status.isOk() ? Responses.taken(response) : Responses.of(status, trailers));
            onResponse.accept(new Answer(status, response));
        }
    }

    private record Answer(Status status, byte[] message) implements GrpcResponse {

        @Override
        public GrpcStatusCode getStatusCode() {
            return GrpcStatusCode.fromValue(status.getCode().value());
        }

        @Override
        public @Nullable String getStatusDescription() {
            return status.getDescription();
        }

        @Override
        public byte[] getResponseMessage() {
            return message;
        }
    }

    private record Bytes() implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
