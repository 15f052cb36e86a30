package dev.sallyport.transforms.grpc;

import dev.sallyport.transform.v1.HeaderValues;
import dev.sallyport.transform.v1.HttpRequest;
import dev.sallyport.transform.v1.HttpResponse;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformRequestRequest;
import dev.sallyport.transform.v1.TransformRequestResponse;
import dev.sallyport.transform.v1.TransformResponseRequest;
import dev.sallyport.transform.v1.TransformResponseResponse;
import dev.sallyport.transform.v1.TransformServiceGrpc;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** A real transform server on the loopback interface. Lets everything pass unless told otherwise. Thread-safe. */
final class PolicyServer extends TransformServiceGrpc.TransformServiceImplBase implements AutoCloseable {

    static final TransformRequestResponse PASS = TransformRequestResponse.newBuilder()
            .setAction(TransformAction.TRANSFORM_ACTION_CONTINUE)
            .build();

    static final TransformResponseResponse PASS_BACK = TransformResponseResponse.newBuilder()
            .setAction(TransformAction.TRANSFORM_ACTION_CONTINUE)
            .build();

    private final List<TransformRequestRequest> requests = new CopyOnWriteArrayList<>();
    private final List<TransformResponseRequest> responses = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final ServerCredentials credentials;
    private final BindableService[] others;

    private volatile BiConsumer<TransformRequestRequest, StreamObserver<TransformRequestResponse>> onRequest =
            (question, to) -> answer(to, PASS);
    private volatile BiConsumer<TransformResponseRequest, StreamObserver<TransformResponseResponse>> onResponse =
            (question, to) -> answer(to, PASS_BACK);
    private final int port;
    private Server server;

    private PolicyServer(int port, ServerCredentials credentials, BindableService... others) {
        this.credentials = credentials;
        this.others = others;
        this.server = listen(port);
        this.port = server.getPort();
    }

    static PolicyServer start(BindableService... others) {
        return new PolicyServer(0, InsecureServerCredentials.create(), others);
    }

    static PolicyServer start(ServerCredentials credentials) {
        return new PolicyServer(0, credentials);
    }

    private Server listen(int port) {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), credentials)
                .addService(this)
                .maxInboundMessageSize(64 << 20)
                .addTransportFilter(new ServerTransportFilter() {
                    @Override
                    public Attributes transportReady(Attributes attributes) {
                        connections.incrementAndGet();
                        open.incrementAndGet();
                        return attributes;
                    }

                    @Override
                    public void transportTerminated(Attributes attributes) {
                        open.decrementAndGet();
                    }
                });
        for (BindableService other : others) {
            builder.addService(other);
        }
        try {
            return builder.build().start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String target() {
        return "127.0.0.1:" + port;
    }

    /** Ends it at once, calls in progress included. */
    void kill() throws InterruptedException {
        if (!server.isTerminated()) {
            server.shutdownNow().awaitTermination();
        }
    }

    /** Begins again on the same port. */
    void restart() {
        server = listen(port);
    }

    int port() {
        return port;
    }

    PolicyServer requests(Function<TransformRequestRequest, TransformRequestResponse> script) {
        onRequest = (question, to) -> answer(to, script.apply(question));
        return this;
    }

    PolicyServer responses(Function<TransformResponseRequest, TransformResponseResponse> script) {
        onResponse = (question, to) -> answer(to, script.apply(question));
        return this;
    }

    PolicyServer onRequest(BiConsumer<TransformRequestRequest, StreamObserver<TransformRequestResponse>> script) {
        onRequest = script;
        return this;
    }

    PolicyServer onResponse(BiConsumer<TransformResponseRequest, StreamObserver<TransformResponseResponse>> script) {
        onResponse = script;
        return this;
    }

    /** Modifies each request in this way, beginning with what was sent. */
    PolicyServer modifying(Function<HttpRequest.Builder, HttpRequest.Builder> change) {
        return requests(question -> PASS.toBuilder()
                .setModifiedRequest(change.apply(question.getRequest().toBuilder()))
                .build());
    }

    PolicyServer modifyingBack(Function<HttpResponse.Builder, HttpResponse.Builder> change) {
        return responses(question -> PASS_BACK.toBuilder()
                .setModifiedResponse(change.apply(question.getResponse().toBuilder()))
                .build());
    }

    static HeaderValues lines(String... values) {
        return HeaderValues.newBuilder().addAllValues(List.of(values)).build();
    }

    static <A> void answer(StreamObserver<A> to, A answer) {
        to.onNext(answer);
        to.onCompleted();
    }

    List<TransformRequestRequest> requests() {
        return List.copyOf(requests);
    }

    List<TransformResponseRequest> responses() {
        return List.copyOf(responses);
    }

    HttpRequest request() {
        return requests.getLast().getRequest();
    }

    HttpResponse response() {
        return responses.getLast().getResponse();
    }

    /** How many connections were ever opened. */
    int connections() {
        return connections.get();
    }

    /** How many connections are open. */
    int open() {
        return open.get();
    }

    /** Opens when a call was cancelled. */
    CountDownLatch cancelled() {
        return cancelled;
    }

    @Override
    public void transformRequest(TransformRequestRequest question, StreamObserver<TransformRequestResponse> to) {
        Context.current().addListener(context -> cancelled(context), Runnable::run);
        requests.add(question);
        onRequest.accept(question, to);
    }

    private void cancelled(Context context) {
        if (context.cancellationCause() != null) {
            cancelled.countDown();
        }
    }

    @Override
    public void transformResponse(TransformResponseRequest question, StreamObserver<TransformResponseResponse> to) {
        responses.add(question);
        onResponse.accept(question, to);
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
