package dev.sallyport.server.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sallyport.testsupport.TestCertificates;
import io.grpc.ForwardingServerCallListener;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.grpc.okhttp.OkHttpServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.collector.logs.v1.LogsServiceGrpc;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A collector: takes OTLP over HTTP or gRPC on one port, through stops and starts, and keeps what it has acknowledged.
 */
public final class Receiver implements AutoCloseable {

    private final boolean grpc;
    private final @Nullable TestCertificates certificates;
    private final Queue<ExportLogsServiceRequest> logs = new ConcurrentLinkedQueue<>();
    private final Queue<ExportTraceServiceRequest> traces = new ConcurrentLinkedQueue<>();
    private final Queue<ExportMetricsServiceRequest> metrics = new ConcurrentLinkedQueue<>();
    private final Map<String, String> headers = new ConcurrentHashMap<>();
    private final Deque<Refusal> refusals = new ConcurrentLinkedDeque<>();
    private volatile Message partial = ExportLogsServiceResponse.getDefaultInstance();
    private int port;
    private HttpServer http;
    private Server server;

    /** An answer other than success. */
    record Refusal(int http, Status grpc, Map<String, String> headers) {}

    private Receiver(boolean grpc, @Nullable TestCertificates certificates) {
        this.grpc = grpc;
        this.certificates = certificates;
    }

    /** One that runs. */
    public static Receiver start(boolean grpc) throws IOException {
        return start(grpc, null);
    }

    /** One that runs, with the certificate of the origin if there are any. */
    static Receiver start(boolean grpc, @Nullable TestCertificates certificates) throws IOException {
        Receiver receiver = new Receiver(grpc, certificates);
        receiver.start();
        return receiver;
    }

    /** Starts, on the port of the time before. */
    public void start() throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        if (grpc) {
            server = OkHttpServerBuilder.forPort(address, credentials())
                    .addService(new Logs())
                    .addService(new Traces())
                    .addService(new Metrics())
                    .intercept(new Notes())
                    .build()
                    .start();
            port = server.getPort();
        } else {
            http = httpServer(address);
            http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            http.createContext(
                    "/v1/logs",
                    exchange -> serve(exchange, body -> logs.add(ExportLogsServiceRequest.parseFrom(body)), partial));
            http.createContext(
                    "/v1/traces",
                    exchange -> serve(
                            exchange,
                            body -> traces.add(ExportTraceServiceRequest.parseFrom(body)),
                            ExportTraceServiceResponse.getDefaultInstance()));
            http.createContext(
                    "/v1/metrics",
                    exchange -> serve(
                            exchange,
                            body -> metrics.add(ExportMetricsServiceRequest.parseFrom(body)),
                            ExportMetricsServiceResponse.getDefaultInstance()));
            http.start();
            port = http.getAddress().getPort();
        }
    }

    private ServerCredentials credentials() {
        return certificates == null
                ? InsecureServerCredentials.create()
                : TlsServerCredentials.newBuilder()
                        .keyManager(certificates.originKeys.getKeyManagers())
                        .build();
    }

    private HttpServer httpServer(InetSocketAddress address) throws IOException {
        if (certificates == null) {
            return HttpServer.create(address, 0);
        }
        HttpsServer secure = HttpsServer.create(address, 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(certificates.origin));
        return secure;
    }

    /** Ends as a killed process does: connections break, and what was under way is lost. */
    public void stop() throws InterruptedException {
        if (grpc) {
            server.shutdownNow();
            server.awaitTermination(10, TimeUnit.SECONDS);
        } else {
            http.stop(0);
        }
    }

    /** The value of the endpoint variable for all signals. */
    public String endpoint() {
        return certificates == null ? "http://127.0.0.1:" + port : "https://localhost:" + port;
    }

    public int port() {
        return port;
    }

    public String protocol() {
        return grpc ? "grpc" : "http/protobuf";
    }

    /** The next requests get these answers instead of success. */
    void refuse(Refusal... next) {
        refusals.addAll(List.of(next));
    }

    /** How many of these are left. */
    int refusalsLeft() {
        return refusals.size();
    }

    /** Log requests over HTTP are answered with this. */
    void answer(ExportLogsServiceResponse answer) {
        partial = answer;
    }

    /** The header fields of requests so far, lower case. */
    public Map<String, String> headers() {
        return headers;
    }

    public List<LogRecord> logs() {
        return logs.stream()
                .flatMap(request -> request.getResourceLogsList().stream())
                .flatMap(resource -> resource.getScopeLogsList().stream())
                .flatMap(scope -> scope.getLogRecordsList().stream())
                .toList();
    }

    /** Those of a scope: {@code dev.sallyport.audit} or {@code dev.sallyport.log}. */
    public List<LogRecord> logs(String scope) {
        return logs.stream()
                .flatMap(request -> request.getResourceLogsList().stream())
                .flatMap(resource -> resource.getScopeLogsList().stream())
                .filter(records -> records.getScope().getName().equals(scope))
                .flatMap(records -> records.getLogRecordsList().stream())
                .toList();
    }

    public List<Span> spans() {
        return traces.stream()
                .flatMap(request -> request.getResourceSpansList().stream())
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .toList();
    }

    public List<Metric> metrics() {
        return metrics.stream()
                .flatMap(request -> request.getResourceMetricsList().stream())
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .toList();
    }

    /** The resources of log requests so far. */
    public List<Resource> resources() {
        return logs.stream()
                .flatMap(request -> request.getResourceLogsList().stream())
                .map(resource -> resource.getResource())
                .toList();
    }

    /** A list of attributes as JSON would have it. */
    public static Map<String, Object> json(List<KeyValue> attributes) {
        Map<String, Object> json = new LinkedHashMap<>();
        attributes.forEach(attribute -> json.put(attribute.getKey(), json(attribute.getValue())));
        return json;
    }

    private static Object json(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> value.getBoolValue();
            case INT_VALUE -> value.getIntValue();
            case DOUBLE_VALUE -> value.getDoubleValue();
            case ARRAY_VALUE ->
                value.getArrayValue().getValuesList().stream()
                        .map(Receiver::json)
                        .toList();
            case KVLIST_VALUE -> json(value.getKvlistValue().getValuesList());
            default -> "none";
        };
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }

    private interface Taker {
        void take(byte[] body) throws InvalidProtocolBufferException;
    }

    private void serve(HttpExchange exchange, Taker taker, Message answer) throws IOException {
        try (exchange) {
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
            boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            byte[] body;
            try (InputStream in = zipped ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
                body = in.readAllBytes();
            }
            Refusal refusal = refusals.poll();
            if (refusal != null) {
                refusal.headers().forEach(exchange.getResponseHeaders()::add);
                exchange.sendResponseHeaders(refusal.http(), -1);
                return;
            }
            taker.take(body);
            byte[] reply = answer.toByteArray();
            exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, reply.length == 0 ? -1 : reply.length);
            if (reply.length > 0) {
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(reply);
                }
            }
        }
    }

    /** Keeps what it is sent, unless it is to refuse. */
    private <Q, A> void take(Queue<Q> to, Q request, A answer, StreamObserver<A> answers) {
        Refusal refusal = refusals.poll();
        if (refusal != null) {
            answers.onError(refusal.grpc().asRuntimeException());
            return;
        }
        to.add(request);
        answers.onNext(answer);
        answers.onCompleted();
    }

    private final class Logs extends LogsServiceGrpc.LogsServiceImplBase {
        @Override
        public void export(ExportLogsServiceRequest request, StreamObserver<ExportLogsServiceResponse> answers) {
            take(logs, request, ExportLogsServiceResponse.getDefaultInstance(), answers);
        }
    }

    private final class Traces extends TraceServiceGrpc.TraceServiceImplBase {
        @Override
        public void export(ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> answers) {
            take(traces, request, ExportTraceServiceResponse.getDefaultInstance(), answers);
        }
    }

    private final class Metrics extends MetricsServiceGrpc.MetricsServiceImplBase {
        @Override
        public void export(ExportMetricsServiceRequest request, StreamObserver<ExportMetricsServiceResponse> answers) {
            take(metrics, request, ExportMetricsServiceResponse.getDefaultInstance(), answers);
        }
    }

    /** Notes the metadata of calls. */
    private final class Notes implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
            for (String name : metadata.keys()) {
                if (!name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                    headers.put(name, metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
                }
            }
            return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(
                    next.startCall(call, metadata)) {};
        }
    }

    /** For messages of tests. */
    @Override
    public String toString() {
        return protocol() + " with " + logs().size() + " log records, " + new ArrayDeque<>(headers.keySet());
    }
}
