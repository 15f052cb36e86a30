package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.sallyport.testsupport.Patience;
import io.grpc.ClientInterceptors;
import io.grpc.HttpConnectProxiedSocketAddress;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.EchoStatus;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.ResponseParameters;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingInputCallRequest;
import io.grpc.testing.integration.Messages.StreamingInputCallResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.grpc.testing.integration.TestServiceImpl;
import io.grpc.testing.integration.UnimplementedServiceGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The interoperability cases of gRPC with grpc-java on both sides, through a proxy that reads along. */
@Timeout(120)
class GrpcTest {

    /** How client and origin speak. */
    enum Way {
        /** TLS on both sides, in a CONNECT tunnel. */
        TUNNEL,
        /** HTTP/2 by prior knowledge on both sides. */
        CLEARTEXT
    }

    @TempDir
    static Path folder;

    private static final ScheduledExecutorService WORK = Executors.newScheduledThreadPool(2);
    private static final Map<Way, Server> SERVERS = new EnumMap<>(Way.class);
    private static final Map<Way, ManagedChannel> CHANNELS = new EnumMap<>(Way.class);
    private static Gate gate;

    @BeforeAll
    static void start() throws Exception {
        OriginFiles files = new OriginFiles(folder);
        gate = new Gate(folder, Files.readString(files.certificate), """
                - name: allowlist
                  config:
                    rules:
                      - {host: localhost}
                """, Map.of());
        SERVERS.put(
                Way.TUNNEL,
                server().useTransportSecurity(files.certificate.toFile(), files.key.toFile())
                        .build()
                        .start());
        SERVERS.put(Way.CLEARTEXT, server().build().start());
        CHANNELS.put(
                Way.TUNNEL,
                NettyChannelBuilder.forAddress(
                                "localhost", SERVERS.get(Way.TUNNEL).getPort())
                        .proxyDetector(target -> HttpConnectProxiedSocketAddress.newBuilder()
                                .setTargetAddress((InetSocketAddress) target)
                                .setProxyAddress(loopback(gate.tunnelPort()))
                                .build())
                        .sslContext(GrpcSslContexts.forClient()
                                .trustManager(gate.caFile().toFile())
                                .build())
                        .build());
        CHANNELS.put(
                Way.CLEARTEXT,
                NettyChannelBuilder.forAddress(loopback(gate.httpPort()))
                        .overrideAuthority(
                                "localhost:" + SERVERS.get(Way.CLEARTEXT).getPort())
                        .usePlaintext()
                        .build());
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static NettyServerBuilder server() {
        return NettyServerBuilder.forAddress(loopback(0))
                .addService(ServerInterceptors.intercept(new TestServiceImpl(WORK), TestServiceImpl.interceptors()));
    }

    @AfterAll
    static void stop() throws Exception {
        for (ManagedChannel channel : CHANNELS.values()) {
            assertThat(channel.shutdownNow().awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
        for (Server server : SERVERS.values()) {
            assertThat(server.shutdownNow().awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
        gate.close();
        WORK.shutdownNow();
    }

    private static TestServiceGrpc.TestServiceBlockingStub blocking(Way way) {
        return TestServiceGrpc.newBlockingStub(CHANNELS.get(way)).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    private static TestServiceGrpc.TestServiceStub async(Way way) {
        return TestServiceGrpc.newStub(CHANNELS.get(way)).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    private static Payload payload(int bytes) {
        return Payload.newBuilder()
                .setBody(ByteString.copyFrom(new byte[bytes]))
                .build();
    }

    private static StreamingOutputCallRequest output(int... sizes) {
        StreamingOutputCallRequest.Builder request = StreamingOutputCallRequest.newBuilder();
        for (int size : sizes) {
            request.addResponseParameters(ResponseParameters.newBuilder().setSize(size));
        }
        return request.build();
    }

    @ParameterizedTest
    @EnumSource
    void emptyUnary(Way way) {
        assertThat(blocking(way).emptyCall(Empty.getDefaultInstance())).isEqualTo(Empty.getDefaultInstance());
    }

    @ParameterizedTest
    @EnumSource
    void largeUnary(Way way) {
        SimpleResponse response = blocking(way)
                .unaryCall(SimpleRequest.newBuilder()
                        .setResponseSize(314_159)
                        .setPayload(payload(271_828))
                        .build());

        assertThat(response.getPayload().getBody().size()).isEqualTo(314_159);
    }

    @ParameterizedTest
    @EnumSource
    void clientStreaming(Way way) {
        Recorder<StreamingInputCallResponse> recorder = new Recorder<>();
        StreamObserver<StreamingInputCallRequest> calls = async(way).streamingInputCall(recorder);
        for (int size : new int[] {27_182, 8, 1_828, 45_904}) {
            calls.onNext(StreamingInputCallRequest.newBuilder()
                    .setPayload(payload(size))
                    .build());
        }
        calls.onCompleted();

        assertThat(recorder.next().getAggregatedPayloadSize()).isEqualTo(74_922);
        recorder.awaitEnd(Status.Code.OK);
    }

    @ParameterizedTest
    @EnumSource
    void serverStreaming(Way way) {
        List<Integer> sizes = new ArrayList<>();
        Iterator<StreamingOutputCallResponse> responses =
                blocking(way).streamingOutputCall(output(31_415, 9, 2_653, 58_979));
        responses.forEachRemaining(
                response -> sizes.add(response.getPayload().getBody().size()));

        assertThat(sizes).containsExactly(31_415, 9, 2_653, 58_979);
    }

    @ParameterizedTest
    @EnumSource
    void pingPong(Way way) {
        Recorder<StreamingOutputCallResponse> recorder = new Recorder<>();
        StreamObserver<StreamingOutputCallRequest> calls = async(way).fullDuplexCall(recorder);
        for (int size : new int[] {31_415, 9, 2_653, 58_979}) {
            calls.onNext(output(size).toBuilder().setPayload(payload(size / 2)).build());
            assertThat(recorder.next().getPayload().getBody().size()).isEqualTo(size);
        }
        calls.onCompleted();

        recorder.awaitEnd(Status.Code.OK);
    }

    @ParameterizedTest
    @EnumSource
    void halfDuplex(Way way) {
        Recorder<StreamingOutputCallResponse> recorder = new Recorder<>();
        StreamObserver<StreamingOutputCallRequest> calls = async(way).halfDuplexCall(recorder);
        calls.onNext(output(7));
        calls.onNext(output(8));
        calls.onCompleted();

        assertThat(recorder.next().getPayload().getBody().size()).isEqualTo(7);
        assertThat(recorder.next().getPayload().getBody().size()).isEqualTo(8);
        recorder.awaitEnd(Status.Code.OK);
    }

    @ParameterizedTest
    @EnumSource
    void emptyStream(Way way) {
        Recorder<StreamingOutputCallResponse> recorder = new Recorder<>();
        async(way).fullDuplexCall(recorder).onCompleted();

        recorder.awaitEnd(Status.Code.OK);
    }

    @ParameterizedTest
    @EnumSource
    void cancelAfterBegin(Way way) {
        Recorder<StreamingInputCallResponse> recorder = new Recorder<>();
        var calls =
                (ClientCallStreamObserver<StreamingInputCallRequest>) async(way).streamingInputCall(recorder);
        calls.cancel("given up", null);

        recorder.awaitEnd(Status.Code.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource
    void cancelAfterFirstResponse(Way way) {
        Recorder<StreamingOutputCallResponse> recorder = new Recorder<>();
        var calls = (ClientCallStreamObserver<StreamingOutputCallRequest>)
                async(way).fullDuplexCall(recorder);
        calls.onNext(output(31_415));
        recorder.next();
        calls.cancel("given up", null);

        recorder.awaitEnd(Status.Code.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource
    void timeoutOnSleepingServer(Way way) {
        Recorder<StreamingOutputCallResponse> recorder = new Recorder<>();
        StreamObserver<StreamingOutputCallRequest> calls = TestServiceGrpc.newStub(CHANNELS.get(way))
                .withDeadlineAfter(50, TimeUnit.MILLISECONDS)
                .fullDuplexCall(recorder);
        calls.onNext(StreamingOutputCallRequest.newBuilder()
                .addResponseParameters(
                        ResponseParameters.newBuilder().setSize(1).setIntervalUs(60_000_000))
                .build());

        recorder.awaitEnd(Status.Code.DEADLINE_EXCEEDED);
    }

    @ParameterizedTest
    @EnumSource
    void customMetadata(Way way) {
        Metadata.Key<String> text = Metadata.Key.of("x-grpc-test-echo-initial", Metadata.ASCII_STRING_MARSHALLER);
        Metadata.Key<byte[]> binary = Metadata.Key.of("x-grpc-test-echo-trailing-bin", Metadata.BINARY_BYTE_MARSHALLER);
        Metadata sent = new Metadata();
        sent.put(text, "test_initial_metadata_value");
        sent.put(binary, new byte[] {(byte) 0xAB, (byte) 0xAB, (byte) 0xAB});
        AtomicReference<Metadata> headers = new AtomicReference<>();
        AtomicReference<Metadata> trailers = new AtomicReference<>();
        var stub = TestServiceGrpc.newBlockingStub(ClientInterceptors.intercept(
                CHANNELS.get(way),
                MetadataUtils.newAttachHeadersInterceptor(sent),
                MetadataUtils.newCaptureMetadataInterceptor(headers, trailers)));
        stub.unaryCall(SimpleRequest.newBuilder()
                .setResponseSize(10)
                .setPayload(payload(10))
                .build());

        assertThat(headers.get().get(text)).isEqualTo("test_initial_metadata_value");
        assertThat(trailers.get().get(binary)).containsExactly(0xAB, 0xAB, 0xAB);
    }

    @ParameterizedTest
    @EnumSource
    void statusCodeAndMessage(Way way) {
        String message = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \uD83D\uDE08\t\n";
        SimpleRequest request = SimpleRequest.newBuilder()
                .setResponseStatus(EchoStatus.newBuilder().setCode(2).setMessage(message))
                .build();

        StatusRuntimeException failure = catchThrowableOfType(
                StatusRuntimeException.class, () -> blocking(way).unaryCall(request));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        assertThat(failure.getStatus().getDescription()).isEqualTo(message);
    }

    @ParameterizedTest
    @EnumSource
    void unimplementedMethodAndService(Way way) {
        StatusRuntimeException method = catchThrowableOfType(
                StatusRuntimeException.class, () -> blocking(way).unimplementedCall(Empty.getDefaultInstance()));
        StatusRuntimeException service = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> UnimplementedServiceGrpc.newBlockingStub(CHANNELS.get(way))
                        .unimplementedCall(Empty.getDefaultInstance()));

        assertThat(method.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
        assertThat(service.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    }

    @ParameterizedTest
    @EnumSource
    void manyCallsAtTheSameTime(Way way) throws Exception {
        var stub = TestServiceGrpc.newFutureStub(CHANNELS.get(way));
        List<com.google.common.util.concurrent.ListenableFuture<SimpleResponse>> calls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(stub.unaryCall(SimpleRequest.newBuilder()
                    .setResponseSize(i * 100)
                    .setPayload(payload(i * 50))
                    .build()));
        }

        for (int i = 0; i < 300; i++) {
            assertThat(calls.get(i)
                            .get(3L * Patience.SECONDS, TimeUnit.SECONDS)
                            .getPayload()
                            .getBody()
                            .size())
                    .isEqualTo(i * 100);
        }
    }

    /** What a call brings. */
    private static final class Recorder<T> implements StreamObserver<T> {

        private final BlockingQueue<T> values = new LinkedBlockingQueue<>();
        private final BlockingQueue<Status.Code> end = new LinkedBlockingQueue<>();

        T next() {
            try {
                T value = values.poll(Patience.SECONDS, TimeUnit.SECONDS);
                assertThat(value).as("a message; the call ended with %s", end).isNotNull();
                return value;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void awaitEnd(Status.Code expected) {
            try {
                assertThat(end.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(expected);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void onNext(T value) {
            values.add(value);
        }

        @Override
        public void onError(Throwable failure) {
            end.add(Status.fromThrowable(failure).getCode());
        }

        @Override
        public void onCompleted() {
            end.add(Status.Code.OK);
        }
    }
}
